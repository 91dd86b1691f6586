// SPDX-License-Identifier: Apache-2.0

package import WebArchive

extension URLFileName {
    /// Returns the URL of a file.
    ///
    /// - Parameters:
    ///   - filePath: the components, of any bytes that a file's name may hold.
    ///   - site: any URL with the scheme and authority to use; its path and query do not matter.
    ///   - isDirectory: the counterpart of the test of ``filePath(of:isDirectory:)``: whether there is a directory
    ///     of this file path in the tree.
    /// - Throws: ``InvalidFileName`` if the path is not one of a file, or its URL would be too long.
    package func url(
        of filePath: [[UInt8]], at site: CanonicalURL, isDirectory: DirectoryTest? = nil
    ) throws(InvalidFileName) -> CanonicalURL {
        guard !filePath.isEmpty else { throw .emptyPath }
        for name in filePath {
            guard name.count <= Self.maximumLength else { throw .tooLong }
            guard FileNameRules.isLegal(name) else { throw .illegalComponent }
        }
        let kind = PathTokens(site: site)
        var url = Array(site.root)
        kind.append(tokens(of: filePath, kind: kind, isDirectory: isDirectory), to: &url)
        do {
            return try CanonicalURL(utf8: url)
        } catch {
            throw .url(error)
        }
    }

    /// Returns the pieces of a URL that file names represent. An escaped name of a level above 1 represents an escaped name with one mark less.
    private func tokens(
        of filePath: [[UInt8]], kind: PathTokens, isDirectory: DirectoryTest?
    ) -> [ArraySlice<UInt8>] {
        let names: [[UInt8]?] = filePath
        var tokens: [ArraySlice<UInt8>] = []
        tokens.reserveCapacity(filePath.count)
        var index = 0
        while index < filePath.endIndex {
            let before = filePath[..<index]
            if let (name, token, end) = escape(names, at: index, in: before, kind: kind, isDirectory: isDirectory) {
                if name.level == 1 {
                    tokens.append(token)
                } else {
                    tokens += EscapedName(text: name.text, level: name.level - 1).components.map(Self.token)
                }
                index = end
                continue
            }
            let isIndex = index == filePath.endIndex - 1 && filePath[index] == indexName
            tokens.append(isIndex ? [] : Self.token(filePath[index]))
            index += 1
        }
        return tokens
    }
}
