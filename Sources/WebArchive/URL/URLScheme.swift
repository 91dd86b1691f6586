// SPDX-License-Identifier: Apache-2.0

/// The properties of a lower-case scheme that determine the canonical form.
enum URLScheme {
    /// Returns the default port of a special scheme (http, https, ws, wss, ftp); nil for every other scheme.
    static func defaultPort(_ scheme: ArraySlice<UInt8>) -> UInt16? {
        switch scheme.count {
        case 2 where scheme.elementsEqual("ws".utf8): 80
        case 3 where scheme.elementsEqual("wss".utf8): 443
        case 3 where scheme.elementsEqual("ftp".utf8): 21
        case 4 where scheme.elementsEqual("http".utf8): 80
        case 5 where scheme.elementsEqual("https".utf8): 443
        default: nil
        }
    }

    /// Returns the end of the scheme that `text` begins with (the index of its ":"), or nil if there is none
    /// (RFC 3986 section 3.1).
    static func end(in text: ArraySlice<UInt8>) -> Int? {
        guard let first = text.first, first.isASCIILetter,
            let end = text.firstIndex(where: { !ASCIISet.schemeTail.contains($0) }), text[end] == .ascii(":")
        else { return nil }
        return end
    }
}
