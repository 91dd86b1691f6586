// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The URLs of a site's files: the base URL and the file's path, or the folder's for an index file.
struct SiteURLs: Sendable {
    /// The base URL, with a slash at its end.
    let base: CanonicalURL
    /// The mapping of files to URLs, for the first of the index names.
    private let names: URLFileName
    /// The folders of the site; empty unless a name, which only an escaped one does, needs them.
    private var folders: Set<[UInt8]> = []
    private static let slash = UInt8(ascii: "/")

    /// Throws `invalidArgument` unless the base URL is hierarchical and has no query.
    init(_ options: ArchivePacker.Options) throws(ArchiveError) {
        var base = try CanonicalURL(parsing: options.baseURL)
        guard base.query == nil, base.host != nil else {
            throw ArchiveError(
                .invalidArgument, "the base URL \(options.baseURL) must look like http://host/ or http://host/path/")
        }
        if base.bytes.last != Self.slash { base = try CanonicalURL(parsing: "\(base)/") }
        self.base = base
        do {
            names = try URLFileName(indexName: Array(options.indexNames.first?.utf8 ?? "index.html".utf8))
        } catch {
            throw ArchiveError(
                .invalidArgument, "invalid index file name '\(options.indexNames.first ?? "")'", cause: error)
        }
    }

    /// Notes the folders of a site, beside which files may have escaped names.
    mutating func noteFolders(of tree: SourceTree, _ emptyFolders: [SourceWalker.EmptyFolder]) {
        guard tree.files.contains(where: { EscapedName.mayEnd($0.name) }) else { return }
        for folder in tree.files.lazy.map(\.folder.path) + emptyFolders.map(\.path) {
            var path = folder
            while !path.isEmpty, folders.insert(path).inserted {
                path.removeSubrange((path.lastIndex(of: Self.slash) ?? 0)...)
            }
        }
    }

    /// Returns the URL of a file.
    func url(of file: Int, in tree: SourceTree) throws(ArchiveError) -> CanonicalURL {
        let source = tree.files[file]
        do {
            return try url(ofPath: source.path)
        } catch {
            throw ArchiveError(
                .invalidArgument, "cannot form a URL from the name", path: source.displayPath, cause: error,
                recovery: .leaveOut)
        }
    }

    /// Returns the URL of a path below the root, that of the folder for the index name.
    func url(ofPath path: [UInt8]) throws -> CanonicalURL {
        if isPlain(path), !isIndex(path) { return try CanonicalURL(utf8: base.bytes + path) }
        let components = path.split(separator: Self.slash).map(Array.init)
        let plain = try names.url(of: components, at: base) { path in
            folders.contains(Array(path.joined(separator: CollectionOfOne(Self.slash))))
        }
        let query = plain.query.map { [.ascii("?")] + $0 } ?? []
        return try CanonicalURL(utf8: base.bytes + plain.path.dropFirst() + query)
    }

    /// Returns the URL of the file of redirect rules, at the root of the site.
    func urlOfRedirects() throws(ArchiveError) -> String {
        do {
            return try url(ofPath: PublishedRules.redirectsName).description
        } catch {
            throw ArchiveError(.invalidArgument, "the base URL \(base) is too long", cause: error)
        }
    }

    /// Returns the URL of a path that begins with a slash, as in rules: it is not a reference, so that two slashes begin no host.
    func url(ofRequestPath path: String) throws -> CanonicalURL {
        try CanonicalURL(utf8: Array(base.root) + Array(path.utf8))
    }

    /// Returns the URL of a folder, with a slash at its end; the empty path is the root.
    func url(ofFolder path: [UInt8]) throws -> CanonicalURL {
        if path.isEmpty { return base }
        if isPlain(path) { return try CanonicalURL(utf8: base.bytes + path + [Self.slash]) }
        return try url(ofPath: path + [Self.slash] + names.indexName)
    }

    /// Returns whether a path occurs in a URL unchanged.
    private func isPlain(_ path: [UInt8]) -> Bool {
        path.allSatisfy { $0 == Self.slash || ASCIISet.pathCharacter.contains($0) }
    }

    /// Returns the URL with an index file's own name.
    func spelledURL(ofIndex name: ArraySlice<UInt8>, in folder: CanonicalURL) throws -> CanonicalURL {
        var bytes = folder.bytes
        PercentEncoding.appendEncoded(name, keeping: .pathCharacter, to: &bytes)
        return try CanonicalURL(utf8: bytes)
    }

    /// Returns whether the last component of a path is the index name.
    private func isIndex(_ path: [UInt8]) -> Bool {
        path.count >= names.indexName.count && path.suffix(names.indexName.count).elementsEqual(names.indexName)
            && (path.count == names.indexName.count || path[path.count - names.indexName.count - 1] == Self.slash)
    }
}
