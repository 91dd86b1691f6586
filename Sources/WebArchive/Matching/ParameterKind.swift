// SPDX-License-Identifier: Apache-2.0

/// A kind of query parameter that does not select the resource. Specification section 8.5, rules 7, 9 and 10.
enum ParameterKind: Int, CaseIterable, Comparable {
    /// A parameter that the options name.
    case ignored
    /// A parameter that a page makes up for each request, or that a link carries for the statistics of its target.
    case cacheBuster
    /// The number of a visit.
    case sessionID

    /// The rule that ignores parameters of this kind, and of those before it.
    var rule: MatchRule {
        switch self {
        case .ignored: .ignoredParameters
        case .cacheBuster: .cacheBusters
        case .sessionID: .sessionIDs
        }
    }

    static func < (left: ParameterKind, right: ParameterKind) -> Bool { left.rawValue < right.rawValue }

    /// Returns the kind of a parameter by its form; nil for one that may select the resource.
    ///
    /// - Parameter isWhole: whether it is the only parameter of the query.
    init?(_ parameter: ArraySlice<UInt8>, isWhole: Bool) {
        let split = parameter.firstIndex(of: .ascii("="))
        let name: [UInt8] = parameter[..<(split ?? parameter.endIndex)].asciiLowercased
        let value = split.map { parameter[($0 + 1)...] } ?? []
        if Self.isCacheBuster(name, value, hasValue: split != nil, isWhole: isWhole) {
            self = .cacheBuster
        } else if Self.isSessionID(name, value) {
            self = .sessionID
        } else {
            return nil
        }
    }

    private static let madeUpNames = Set(["_", "uncache", "fbclid", "_ga"].map { Array($0.utf8) })

    private static func isCacheBuster(
        _ name: [UInt8], _ value: ArraySlice<UInt8>, hasValue: Bool, isWhole: Bool
    ) -> Bool {
        guard hasValue else { return isWhole && isNumber(name[...]) }
        if name.starts(with: "utm_".utf8) { return true }
        // jQuery counts in "_", and some pages name a function in it.
        if madeUpNames.contains(name) { return name != [.ascii("_")] || value.isEmpty || isNumber(value) }
        if name.elementsEqual("cb".utf8) || name.contains("cache".utf8) { return isNumber(value) }
        return (13...16).contains(value.count) && isNumber(value)
            && (name.contains("bust".utf8) || name.contains("ts".utf8))
    }

    /// Returns whether a value is a number in decimal digits, with at most one point, as `Math.random()` returns it.
    static func isNumber(_ value: ArraySlice<UInt8>) -> Bool {
        let digits = value.count { UInt8.digits.contains($0) }
        return digits > 0 && (digits == value.count || digits == value.count - 1 && value.contains(.ascii(".")))
    }

    /// Returns a path without a session ID at its end, `/page` for `/page;jsessionid=0123456789ABCDEF`; nil without one.
    static func pathWithoutSessionID(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let start = path.lastIndex(of: .ascii(";")) else { return nil }
        let parameter = path[(start + 1)...]
        let name = parameter.prefix { $0 != .ascii("=") }
        let lowercased: [UInt8] = name.asciiLowercased
        let value = parameter.dropFirst(name.count + 1)
        return lowercased.elementsEqual("jsessionid".utf8) && isSessionID(lowercased, value) ? path[..<start] : nil
    }

    private static let sessionNames = Set(
        ["jsessionid", "phpsessid", "sessionid", "session_id", "sid", "cfid", "cftoken"].map { Array($0.utf8) })

    /// Returns whether a parameter is the number of a visit: a known name, and at least 16 letters and digits; those of ColdFusion are
    /// shorter.
    private static func isSessionID(_ name: [UInt8], _ value: ArraySlice<UInt8>) -> Bool {
        let isNamed = sessionNames.contains(name) || name.starts(with: "aspsessionid".utf8)
        return isNamed && (value.count >= 16 || name.starts(with: "cf".utf8))
            && value.allSatisfy { UInt8.sessionCharacters.contains($0) }
    }
}

extension UInt8 {
    fileprivate static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    fileprivate static let sessionCharacters = Set(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_!,~".utf8)
}

extension ParameterKind {
    private static let functionParameters = Set(
        ["callback", "jsonp", "jsoncallback", "jsonpcallback"].map { Array($0.utf8) })

    /// Returns the parameters of a query that name a function which the content calls, as JSONP does.
    ///
    /// Content is never changed, so that content for another function is useless.
    static func functionNames(in query: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        query.split(separator: .ascii("&")).filter { parameter in
            let name = parameter.prefix { $0 != .ascii("=") }
            let lowercased: [UInt8] = name.asciiLowercased
            return functionParameters.contains(lowercased)
                || parameter.dropFirst(name.count + 1).starts(with: "jQuery".utf8)
        }
    }
}
