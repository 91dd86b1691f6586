// SPDX-License-Identifier: Apache-2.0

/// The entity tags of a list (RFC 9110 section 8.8.3), which may have commas inside of their quotes.
///
/// A tag comes as it is written, with its quotes and its `W/`; what is malformed ends the list.
package struct EntityTags: Sequence, IteratorProtocol {
    private var rest: Substring

    package init(_ list: String) { rest = list[...] }

    package mutating func next() -> Substring? {
        rest = rest.drop { " \t,".contains($0) }
        guard let open = rest.firstIndex(of: "\""), rest[..<open] == "" || rest[..<open] == "W/",
            let close = rest[rest.index(after: open)...].firstIndex(of: "\"")
        else { return nil }
        defer { rest = rest[rest.index(after: close)...] }
        return rest[...close]
    }
}
