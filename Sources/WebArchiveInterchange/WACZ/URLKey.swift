// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The key by which indexes of WARC files sort a URL (SURT): `http://www.Example.com/A?b=1&a=2` has `com,example)/a?a=2&b=1`.
///
/// Programs that replay the files compute it from the URL that they look up, so that it has to be theirs in every detail.
enum URLKey {
    /// Returns the key, which has no spaces; for text that is not a URL its escaped form.
    static func bytes(of url: String) -> [UInt8] {
        guard let canonical = try? CanonicalURL(url) else { return escaped(unescaped(url.utf8)) }
        guard let host = canonical.host, !host.isEmpty else {
            // The text behind such a scheme is free in its form, so that its segments mean nothing.
            let rest = canonical.bytes.dropFirst(canonical.scheme.count + 1)
            let path = rest.prefix { $0 != UInt8(ascii: "?") }
            return Array(canonical.scheme) + [UInt8(ascii: ":")] + withoutSlash(escaped(unescaped(path)))
                + self.query(rest[path.endIndex...].dropFirst())
        }
        var key = reversed(host)
        if let port = canonical.port { key += ":\(port)".utf8 }
        key.append(UInt8(ascii: ")"))
        return key + path(canonical.path) + query(canonical.query ?? [])
    }

    /// Returns a query with its mark, without identifiers of sessions; nothing for an empty one.
    private static func query(_ query: ArraySlice<UInt8>) -> [UInt8] {
        var arguments = escaped(unescaped(query))
        SessionIdentifiers.remove(fromQuery: &arguments)
        return arguments.isEmpty ? [] : [UInt8(ascii: "?")] + sorted(arguments)
    }

    /// Returns a path without the slash at its end, unless it is all.
    private static func withoutSlash(_ path: [UInt8]) -> [UInt8] {
        path.count > 1 && path.last == UInt8(ascii: "/") ? path.dropLast() : path
    }

    /// Returns the labels of a host in reverse order, without a first label of `www` and digits.
    private static func reversed(_ host: ArraySlice<UInt8>) -> [UInt8] {
        var labels = host.split(separator: UInt8(ascii: "."))
        if labels.count > 1, let first = labels.first, first.starts(with: "www".utf8),
            first.dropFirst(3).allSatisfy({ (0x30...0x39).contains($0) })
        {
            labels.removeFirst()
        }
        return Array(labels.reversed().joined(separator: [UInt8(ascii: ",")]))
    }

    /// Returns a path in lower case, without dot segments, empty segments, and a slash at its end.
    private static func path(_ path: ArraySlice<UInt8>) -> [UInt8] {
        var kept: [ArraySlice<UInt8>] = []
        let segments = unescaped(path).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for segment in segments.dropFirst() {
            if segment.elementsEqual([UInt8(ascii: ".")]) { continue }
            if segment.elementsEqual("..".utf8) {
                if kept.popLast() == nil { kept.append(segment) }
            } else {
                kept.append(segment)
            }
        }
        let last = kept.popLast() ?? []
        let joined = (kept.filter { !$0.isEmpty } + [last]).joined(separator: [UInt8(ascii: "/")])
        var whole = escaped([UInt8(ascii: "/")] + joined)
        SessionIdentifiers.remove(fromPath: &whole)
        return withoutSlash(whole)
    }

    /// Returns the arguments of a query in the order of their names, then of their values.
    private static func sorted(_ query: [UInt8]) -> [UInt8] {
        guard query.count > 1 else { return query }
        let arguments = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { argument in
            let name = argument.prefix { $0 != UInt8(ascii: "=") }
            return (name: name, rest: argument[name.endIndex...])
        }
        let ordered = arguments.sorted { left, right in
            left.name == right.name
                ? left.rest.lexicographicallyPrecedes(right.rest) : left.name.lexicographicallyPrecedes(right.name)
        }
        return Array(ordered.map { $0.name + $0.rest }.joined(separator: [UInt8(ascii: "&")]))
    }

    /// Returns bytes with percent-encoding removed until none is left, in one pass.
    private static func unescaped(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        for byte in bytes {
            decoded.append(byte)
            // A decoded byte may complete another triplet.
            while decoded.count >= 3, decoded[decoded.count - 3] == UInt8(ascii: "%"),
                let high = PercentEncoding.hexValue(decoded[decoded.count - 2]),
                let low = PercentEncoding.hexValue(decoded[decoded.count - 1])
            {
                decoded.removeLast(3)
                decoded.append(high << 4 | low)
            }
        }
        return decoded
    }

    /// Returns bytes in lower case, with percent-encoding of all except visible ASCII, `#` and `%`.
    private static func escaped(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        for byte in bytes {
            if (0x21...0x7E).contains(byte), byte != UInt8(ascii: "#"), byte != UInt8(ascii: "%") {
                text.append(byte.lowercasedASCII)
            } else {
                text.append(UInt8(ascii: "%"))
                text += [byte].hexadecimalDigits.utf8
            }
        }
        return text
    }
}
