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
        let name = parameter.prefix { $0 != .ascii("=") }
        guard name.endIndex < parameter.endIndex else {
            if isWhole, Self.isNumber(name) {
                self = .cacheBuster
            } else if ParameterName(name).isOfSession(with: []) {
                self = .sessionID
            } else {
                return nil
            }
            return
        }
        self.init(ParameterName(name), parameter[(name.endIndex + 1)...])
    }

    /// Returns the kind of a parameter with a value; nil for one that may select the resource.
    init?(_ name: ParameterName, _ value: ArraySlice<UInt8>) {
        if name.isOfCacheBuster(with: value) {
            self = .cacheBuster
        } else if name.isOfSession(with: value) {
            self = .sessionID
        } else {
            return nil
        }
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
        guard name.asciiLowercased.elementsEqual("jsessionid".utf8) else { return nil }
        return ParameterName(name).isOfSession(with: parameter.dropFirst(name.count + 1)) ? path[..<start] : nil
    }
}

extension UInt8 {
    fileprivate static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
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
