// SPDX-License-Identifier: Apache-2.0

/// The name of a leaf, by which its value may be made up for each request. Specification section 8.5, "Similar content".
///
/// It is looked at once for all leaves in an array.
struct LeafName {
    /// The name as the parameter of a query; nil for one that is too long.
    private let parameter: ParameterName?
    /// Whether any value is made up.
    private let isMadeUp: Bool
    /// Whether a value in the form of a time is made up.
    private let isTime: Bool

    private static let partsOfNames = ["nonce", "csrf", "xsrf", "timestamp"].map { Array($0.utf8) }
    private static let names = Set(
        [
            "accesstoken", "authenticitytoken", "clientmutationid", "correlationid", "rand", "random", "requestid",
            "sessiontoken", "spanid", "token", "traceid", "visitorid",
        ].map { Array($0.utf8) })
    private static let maximumNameLength = 128
    private static let namesOfTimes = Set(["now", "t", "time"].map { Array($0.utf8) })

    /// Creates the name from that of the member that a leaf is in, at the innermost.
    init(_ name: [UInt8]) {
        // Each of thousands of items can have the name of their member.
        guard name.count <= Self.maximumNameLength else {
            (parameter, isMadeUp, isTime) = (nil, false, false)
            return
        }
        parameter = ParameterName(name[...])
        var plain: [UInt8] = name.asciiLowercased
        plain.removeAll { $0 == .ascii("-") || $0 == .ascii("_") }
        isMadeUp =
            Self.names.contains(plain) || Self.partsOfNames.contains { plain.firstPlace(of: $0) != nil }
        isTime = Self.namesOfTimes.contains(plain)
    }

    /// Returns whether a value of this name is made up, by its form.
    func isMadeUp(_ leaf: ContentTree.ContentLeaf) -> Bool {
        guard let parameter else { return false }
        if isMadeUp { return true }
        guard isTime || !parameter.isPlain else { return false }
        let text = leaf.text
        return ParameterKind(parameter, text[...]) != nil
            || isTime && (13...16).contains(text.count) && ParameterKind.isNumber(text[...])
    }
}

extension ContentTree.ContentLeaf {
    /// The text that is looked at. A number that is not an integer of 64 bits is one that a page has drawn.
    fileprivate var text: [UInt8] {
        switch self {
        case .null: Array("null".utf8)
        case .bool(let value): Array((value ? "true" : "false").utf8)
        case .integer(let value): Array("\(value)".utf8)
        case .double: Array("0.5".utf8)
        case .string(let text): text
        }
    }
}
