// SPDX-License-Identifier: Apache-2.0

/// Values that a page makes up for each request, such as the time. Specification section 8.5, "Similar content".
extension ContentTree.ContentLeaf {
    private static let partsOfNames = ["nonce", "csrf", "xsrf", "timestamp"].map { Array($0.utf8) }
    private static let names = Set(
        [
            "accesstoken", "authenticitytoken", "clientmutationid", "correlationid", "rand", "random", "requestid",
            "sessiontoken", "spanid", "token", "traceid", "visitorid",
        ].map { Array($0.utf8) })
    private static let maximumNameLength = 128
    private static let namesOfTimes = Set(["now", "t", "time"].map { Array($0.utf8) })

    /// Returns whether the value is made up, by its name and its form.
    func isMadeUp(_ name: [UInt8]) -> Bool {
        // Each of thousands of items can have the name of their member.
        guard name.count <= Self.maximumNameLength else { return false }
        if ParameterKind((name + [.ascii("=")] + text)[...], isWhole: false) != nil { return true }
        var plain: [UInt8] = name.asciiLowercased
        plain.removeAll { $0 == .ascii("-") || $0 == .ascii("_") }
        if Self.names.contains(plain) || Self.partsOfNames.contains(where: { plain.contains($0) }) { return true }
        return Self.namesOfTimes.contains(plain) && (13...16).contains(text.count) && ParameterKind.isNumber(text[...])
    }

    /// The text that is looked at. A number that is not an integer of 64 bits is one that a page has drawn.
    private var text: [UInt8] {
        switch self {
        case .null: Array("null".utf8)
        case .bool(let value): Array((value ? "true" : "false").utf8)
        case .integer(let value): Array("\(value)".utf8)
        case .double: Array("0.5".utf8)
        case .string(let text): text
        }
    }
}
