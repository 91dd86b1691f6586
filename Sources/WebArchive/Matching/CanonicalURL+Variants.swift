// SPDX-License-Identifier: Apache-2.0

/// The other URLs by which the rules of matching may find an entry. Specification section 8.5.
extension CanonicalURL {
    /// The same URL under `http` for `https`, and the reverse; nil for other schemes, and for a URL with a port.
    var otherScheme: CanonicalURL? {
        guard port == nil else { return nil }
        let rest = bytes[scheme.endIndex...]
        if scheme.elementsEqual("http".utf8) { return try? CanonicalURL(utf8: Array("https".utf8) + rest) }
        if scheme.elementsEqual("https".utf8) { return try? CanonicalURL(utf8: Array("http".utf8) + rest) }
        return nil
    }

    /// The URL with the reserved characters of its path all unencoded, and the one with all of them as triplets, without the
    /// URL itself.
    var otherSpellings: [CanonicalURL] {
        var (decoded, encoded): ([UInt8], [UInt8]) = ([], [])
        PercentEncoding.appendDecoded(path, only: .reservedInPaths, to: &decoded)
        PercentEncoding.appendEncoded(decoded[...], only: .reservedInPaths, to: &encoded)
        return [decoded, encoded].filter { !$0.elementsEqual(path) }.compactMap(replacingPath)
    }

    /// The URL with one "/" for each run of them in its path; nil without such a run.
    var withoutEmptySegments: CanonicalURL? {
        var merged: [UInt8] = []
        for byte in path where byte != .ascii("/") || merged.last != byte { merged.append(byte) }
        return merged.count == path.count ? nil : replacingPath(merged)
    }

    /// The URL with `.html` after its path; nil for a directory, and for a path with this ending.
    var withHTMLExtension: CanonicalURL? {
        let ending = Array(".html".utf8)
        guard !lastSegment.isEmpty, !lastSegment.suffix(ending.count).elementsEqual(ending) else { return nil }
        return replacingPath(path + ending)
    }

    /// Returns the URLs of the page for missing URLs, `404.html`, that of the URL's own folder first; at most 32.
    ///
    /// - Parameter root: the folder above which none is looked for.
    package func notFoundPages(below root: CanonicalURL) -> [CanonicalURL] {
        var folder = path.prefix(through: path.lastIndex(of: .ascii("/")) ?? path.startIndex)
        var pages: [CanonicalURL] = []
        while folder.endIndex >= root.path.endIndex, pages.count < Self.maximumFolderCount {
            if let page = try? CanonicalURL(utf8: Array(self.root) + folder + Array("404.html".utf8)) {
                pages.append(page)
            }
            folder = folder.dropLast()
            guard let slash = folder.lastIndex(of: .ascii("/")) else { break }
            folder = folder[...slash]
        }
        return pages
    }

    /// The maximum number of folders above a URL in which a page is searched.
    private static let maximumFolderCount = 32

    /// The part of the path after the last "/".
    package var lastSegment: ArraySlice<UInt8> {
        path.lastIndex(of: .ascii("/")).map { path[($0 + 1)...] } ?? path
    }

    /// Returns the URL with a different path, in canonical form; nil if it is too long. The query stays.
    func replacingPath(_ path: some Sequence<UInt8>) -> CanonicalURL? {
        try? CanonicalURL(utf8: Array(root) + path + bytes[self.path.endIndex...])
    }

    /// Returns the URL of the directory in which an entry is the response to this URL, `/dir/` for `/dir`; nil if the entry is in none, and for a
    /// directory.
    ///
    /// The path stays as the client wrote it, independent of the spelling of the entry.
    package func directory(servedBy entry: CanonicalURL) -> CanonicalURL? {
        let directory = path + [.ascii("/")]
        guard !lastSegment.isEmpty, let target = replacingPath(directory),
            entry.plainPath.starts(with: target.plainPath)
        else { return nil }
        return target
    }

    /// The path in its plain form: one form for all spellings, and without empty segments.
    private var plainPath: [UInt8] {
        var plain: [UInt8] = []
        PercentEncoding.appendDecoded((withoutEmptySegments ?? self).path, only: .reservedInPaths, to: &plain)
        return plain
    }
}
