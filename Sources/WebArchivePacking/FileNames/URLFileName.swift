// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The mapping between the path and query of canonical URLs and relative file paths.
///
/// A path segment becomes its percent-decoded bytes, and a final "/" the index name. A segment that is not a file name
/// becomes an escaped name: `%webarc%` followed by the URL's own text. The mapping is lossless in both directions: a URL's
/// file path leads back to the URL, and a file path's URL back to the file path byte for byte. Both directions need the
/// same index name.
///
/// The mapping is purely lexical and never accesses the file system. A file path it makes never leads out of the directory it is used in.
package struct URLFileName: Hashable, Sendable {
    /// The maximum length of a file path component, in bytes: 255, as in most file systems. A longer name continues in further components.
    package static let maximumLength = FileNameRules.maximumLength

    /// A test whether the file path of some URL would need a file to be a directory: see ``filePath(of:isDirectory:)``.
    package typealias DirectoryTest = (_ filePath: [[UInt8]]) -> Bool

    /// The file name that represents a path's final "/", in bytes.
    package let indexName: [UInt8]

    /// Creates the mapping for an index name.
    ///
    /// - Parameter indexName: a legal file name of at most 255 bytes that does not begin with the escape mark.
    /// - Throws: ``InvalidFileName/illegalIndexName``.
    package init(indexName: [UInt8] = Array("index.html".utf8)) throws(InvalidFileName) {
        self.indexName = indexName
        guard FileNameRules.allow(indexName), !indexName.starts(with: EscapedName.mark),
            !indexName.starts(with: EscapedName.continuation)
        else { throw .illegalIndexName }
    }

    /// Returns the unescaped name of `token`, or nil if it has none.
    func plainName(_ token: ArraySlice<UInt8>, isLast: Bool) -> [UInt8]? {
        if isLast, token.isEmpty { return indexName }
        var name: [UInt8] = []
        if token.allSatisfy(ASCIISet.pathCharacter.contains) {
            name = Array(token)
        } else {
            PercentEncoding.appendDecoded(token, to: &name)
            // "%2B" and "+" are two canonical spellings: the one that a file's name does not become is escaped.
            guard Self.token(name) == token else { return nil }
        }
        return FileNameRules.allow(name) && !(isLast && name == indexName) ? name : nil
    }

    /// Returns the path segment that spells a file's name (RFC 3986 section 3.3): all but `pchar` is percent-encoded.
    static func token(_ name: [UInt8]) -> ArraySlice<UInt8> {
        if name.allSatisfy(ASCIISet.pathCharacter.contains) { return name[...] }
        var token: [UInt8] = []
        token.reserveCapacity(name.count * 3)
        PercentEncoding.appendEncoded(name[...], keeping: .pathCharacter, to: &token)
        return token[...]
    }
}
