// SPDX-License-Identifier: Apache-2.0

/// The name of a query parameter, by the values with which it does not select the resource. Specification section 8.5, rules 9 and 10.
struct ParameterName {
    /// The values with which a parameter is a cache buster.
    private enum BusterValue {
        case none, any, numberOrEmpty, number, time
    }

    private let busterValue: BusterValue
    /// The minimum length of a value that is the number of a visit, in bytes; nil if none is.
    private let sessionLength: Int?

    private static let madeUpNames = Set(["uncache", "fbclid", "_ga"].map { Array($0.utf8) })
    private static let namesOfTimes = Set(["ts", "timestamp"].map { Array($0.utf8) })
    private static let (cache, bust) = (Array("cache".utf8), Array("bust".utf8))
    private static let sessionNames = Set(
        ["jsessionid", "phpsessid", "sessionid", "session_id", "sid"].map { Array($0.utf8) })
    /// The names of ColdFusion, whose numbers are short.
    private static let shortSessionNames = Set(["cfid", "cftoken"].map { Array($0.utf8) })

    /// Creates the name, whose case counts only in `Ts`.
    init(_ name: ArraySlice<UInt8>) {
        guard !name.isEmpty else {
            (busterValue, sessionLength) = (.none, nil)
            return
        }
        let lowercased: [UInt8] = name.asciiLowercased
        if lowercased.starts(with: "utm_".utf8) || Self.madeUpNames.contains(lowercased) {
            busterValue = .any
        } else if lowercased == [.ascii("_")] {
            // jQuery counts in it, and some pages name a function in it.
            busterValue = .numberOrEmpty
        } else if lowercased.elementsEqual("cb".utf8) || lowercased.firstPlace(of: Self.cache) != nil {
            busterValue = .number
        } else if lowercased.firstPlace(of: Self.bust) != nil || Self.isOfTime(name, lowercased) {
            busterValue = .time
        } else {
            busterValue = .none
        }
        if Self.shortSessionNames.contains(lowercased) {
            sessionLength = 0
        } else {
            let isNamed = Self.sessionNames.contains(lowercased) || lowercased.starts(with: "aspsessionid".utf8)
            sessionLength = isNamed ? 16 : nil
        }
    }

    /// Returns whether a name is that of a time: `ts`, also after other words, as in `client_ts` and `clientTs`.
    private static func isOfTime(_ name: ArraySlice<UInt8>, _ lowercased: [UInt8]) -> Bool {
        if namesOfTimes.contains(lowercased) { return true }
        guard lowercased.count > 2, lowercased.suffix(2).elementsEqual("ts".utf8) else { return false }
        switch lowercased[lowercased.count - 3] {
        case 0x30...0x39, 0x61...0x7A: return name.suffix(2).elementsEqual("Ts".utf8)
        default: return true
        }
    }

    /// Whether a parameter of this name selects the resource with any value.
    var isPlain: Bool { busterValue == .none && sessionLength == nil }

    /// Returns whether a parameter of this name is a cache buster.
    func isOfCacheBuster(with value: ArraySlice<UInt8>) -> Bool {
        switch busterValue {
        case .none: false
        case .any: true
        case .numberOrEmpty: value.isEmpty || ParameterKind.isNumber(value)
        case .number: ParameterKind.isNumber(value)
        case .time: (13...16).contains(value.count) && ParameterKind.isNumber(value)
        }
    }

    /// Returns whether a parameter of this name is the number of a visit.
    func isOfSession(with value: ArraySlice<UInt8>) -> Bool {
        guard let sessionLength, value.count >= sessionLength else { return false }
        return value.allSatisfy { ASCIISet.unreserved.contains($0) || $0 == .ascii("!") || $0 == .ascii(",") }
    }
}
