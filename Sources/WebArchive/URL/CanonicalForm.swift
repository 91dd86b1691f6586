// SPDX-License-Identifier: Apache-2.0

/// A builder of the canonical form of a URL from its parts. Specification section 8.1.
enum CanonicalForm {
    /// Builds the canonical form: steps 4 to 11 of the algorithm.
    ///
    /// - Throws: ``InvalidURL``.
    static func bytes(of url: URLReference) throws(InvalidURL) -> [UInt8] {
        guard let scheme = url.scheme else { throw .missingScheme }
        var out: [UInt8] = []
        out.reserveCapacity(
            scheme.count + (url.authority?.count ?? 0) + url.path.count + (url.query?.count ?? 0) + 8)
        for byte in scheme {
            out.append(byte.lowercasedASCII)
        }
        let defaultPort = URLScheme.defaultPort(out[...])
        out.append(.ascii(":"))
        if let authority = url.authority {
            out.append(contentsOf: "//".utf8)
            try URLAuthority.append(authority, defaultPort: defaultPort, to: &out)
            let start = out.endIndex
            PercentEncoding.appendNormalized(url.path, to: &out)
            DotSegments.remove(from: &out, at: start)
            if defaultPort != nil, out.endIndex == start { out.append(.ascii("/")) }
        } else {
            guard defaultPort == nil else { throw .missingAuthority }
            PercentEncoding.appendNormalized(url.path, to: &out)
        }
        if let query = url.query {
            out.append(.ascii("?"))
            PercentEncoding.appendNormalized(query, to: &out)
        }
        guard out.count <= CanonicalURL.maximumLength else { throw .tooLong }
        return out
    }

    /// Returns whether `text` is a canonical http or https URL of the usual form; false also if only the full
    /// algorithm can decide.
    static func isEvident(_ text: [UInt8]) -> Bool {
        guard text.count <= CanonicalURL.maximumLength, let host = hostStart(text),
            let pathStart = text[host...].firstIndex(where: { !ASCIISet.simpleHost.contains($0) }),
            pathStart > host, text[pathStart] == .ascii("/")
        else { return false }
        var inPath = true
        var index = pathStart
        while index < text.endIndex {
            let byte = text[index]
            if !ASCIISet.urlText.contains(byte) {
                guard PercentEncoding.isNormalizedTriplet(in: text[...], at: index) else { return false }
                index += 3
                continue
            }
            index += 1
            if byte == .ascii("?") {
                inPath = false
            } else if inPath, byte == .ascii("/"), index < text.endIndex, text[index] == .ascii(".") {
                // Perhaps a dot segment, perhaps ".well-known": rare enough to leave to the full algorithm.
                return false
            }
        }
        return true
    }

    private static func hostStart(_ text: [UInt8]) -> Int? {
        if text.starts(with: "https://".utf8) { return 8 }
        if text.starts(with: "http://".utf8) { return 7 }
        return nil
    }
}
