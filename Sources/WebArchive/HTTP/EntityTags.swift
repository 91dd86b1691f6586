// SPDX-License-Identifier: Apache-2.0

/// The entity tags of a list (RFC 9110 section 8.8.3), which may have commas inside their quotes.
///
/// A tag includes its quotes and its `W/`; a malformed tag ends the list.
package struct EntityTags: Sequence, IteratorProtocol {
    private var rest: Substring.UTF8View

    /// Creates an iteration over the tags of a list, such as the value of `If-None-Match`.
    package init(_ list: String) { rest = list[...].utf8 }

    /// Returns the next tag; nil at the end, and if the list is malformed.
    package mutating func next() -> Substring? {
        let quote = UInt8(ascii: "\"")
        rest = rest.drop { [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ",")].contains($0) }
        guard let open = rest.firstIndex(of: quote), rest[..<open].isEmpty || rest[..<open].elementsEqual("W/".utf8),
            let close = rest[rest.index(after: open)...].firstIndex(of: quote)
        else { return nil }
        defer { rest = rest[rest.index(after: close)...] }
        return Substring(rest[...close])
    }
}
