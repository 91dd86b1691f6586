// SPDX-License-Identifier: Apache-2.0

extension ArchiveReader {
    /// Finds the main page: the one that the metadata names, else the base URL, else the first entry that has a host.
    ///
    /// Metadata costs a pass over its rows; the first entry is near the front, unless most keys have no host.
    ///
    /// - Returns: a URL with a host, which need not be stored; nil without any.
    /// - Throws: `damaged` or `io`; `limitExceeded`.
    package func mainPage() throws(ArchiveError) -> CanonicalURL? {
        if let url = Self.namedPage(in: [try metadata()]) { return url }
        return try firstPage()
    }

    /// Finds the page that the metadata of several archives name: the main page of the first that has one, before the base URL of any.
    ///
    /// - Returns: a URL with a host; nil without any.
    package static func namedPage(in metadata: [[String: String]]) -> CanonicalURL? {
        for name in [MetadataName.mainPage, MetadataName.baseURL] {
            for values in metadata {
                if let url = values[name].flatMap({ try? CanonicalURL($0) }), url.host != nil { return url }
            }
        }
        return nil
    }

    /// Finds the first entry whose URL has a host; nil without any.
    ///
    /// - Throws: `damaged` or `io`; `limitExceeded`.
    package func firstPage() throws(ArchiveError) -> CanonicalURL? {
        var first: CanonicalURL?
        try limitedToOnePass().forEachEntry { entry throws(ArchiveError) in
            if try entry.kind != nil { first = try? CanonicalURL(utf8: entry.keyBytes) }
            return first?.host == nil
        }
        return first?.host == nil ? nil : first
    }

    /// Creates the URL of a path on the main page's origin.
    ///
    /// - Parameter path: the path, which begins with a slash; a query may follow.
    /// - Returns: the URL, which need not be stored.
    /// - Throws: `notFound` if no entry has an origin, `invalidArgument` if that is not a URL; `damaged` or `io`;
    ///   `limitExceeded`.
    package func url(ofPath path: String) throws(ArchiveError) -> CanonicalURL {
        guard let page = try mainPage() else {
            throw ArchiveError(
                .notFound, "cannot resolve the path \(path): the archive has no URL with a host", path: name)
        }
        return try CanonicalURL(parsing: String(decoding: page.root, as: UTF8.self) + path)
    }
}
