// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension FilePath {
    /// Creates the path of the file that a URL names, for any API that takes a path.
    ///
    /// A relative URL is resolved to an absolute path. Nothing is looked up: the file need not exist.
    ///
    /// ```swift
    /// let archive = try ArchiveReader(path: .init(fileURL: url))
    /// ```
    ///
    /// - Parameter url: a URL with the scheme `file`, whose host is empty or `localhost` (RFC 8089 section 2).
    /// - Throws: `invalidArgument` for a URL of a different scheme or host, and for a path that is not UTF-8 once it is
    ///   decoded, or in which a slash or a NUL is encoded: no name has either.
    public init(fileURL url: URL) throws(ArchiveError) {
        let host = url.host ?? ""
        // The path that Foundation returns has such triplets undecoded, and is that of a different file.
        let encoded = Array(url.path(percentEncoded: true).utf8)
        var bytes: [UInt8] = []
        PercentEncoding.appendDecoded(encoded[...], to: &bytes)
        let slash = UInt8.ascii("/")
        guard url.isFileURL, host.isEmpty || host == "localhost", !bytes.isEmpty, !bytes.contains(0),
            bytes.count(where: { $0 == slash }) == encoded.count(where: { $0 == slash }),
            let path = String(validating: bytes, as: UTF8.self)
        else {
            throw ArchiveError(
                .invalidArgument, "\(url.absoluteString) is not the URL of a local file; give file:///…")
        }
        self.init(path)
    }
}
