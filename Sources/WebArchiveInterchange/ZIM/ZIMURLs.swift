// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The URLs of the entries of a ZIM file, which has only paths.
struct ZIMURLs {
    private let base: String
    private let hasNamespaces: Bool

    /// The namespace for metadata.
    static let metadata = UInt8(ascii: "M")
    private static let content = UInt8(ascii: "C")
    /// The namespaces of search indexes.
    private static let indexes = [UInt8(ascii: "X"), UInt8(ascii: "Z")]

    /// - Parameters:
    ///   - base: the URL for an empty path; it ends with a slash.
    ///   - hasNamespaces: whether content is in several namespaces: links of pages have their letters then.
    /// - Throws: `invalidArgument` for a base that is not such a URL.
    init(base: String, hasNamespaces: Bool) throws(ArchiveError) {
        guard base.hasSuffix("/"), !base.contains("?"), !base.contains("#"), let url = try? CanonicalURL(base),
            url.description.hasPrefix("http")
        else {
            throw ArchiveError(
                .invalidArgument, "the base URL '\(base)' is not a URL of http or https that ends with a slash")
        }
        (self.base, self.hasNamespaces) = (base, hasNamespaces)
    }

    /// Returns whether an entry is a page, or a part of one.
    func isContent(_ entry: ZIMEntry) -> Bool {
        guard hasNamespaces else { return entry.namespace == Self.content }
        return entry.namespace != Self.metadata && !Self.indexes.contains(entry.namespace)
            && (0x21...0x7E).contains(entry.namespace)
    }

    /// Returns the URL of an entry. A question mark in a path does not begin a query.
    func url(of entry: ZIMEntry) -> String {
        var bytes: [UInt8] = []
        for segment in entry.path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            bytes.append(UInt8(ascii: "/"))
            PercentEncoding.appendEncoded(segment, keeping: .pathCharacter, to: &bytes)
        }
        var namespace: [UInt8] = []
        if hasNamespaces {
            PercentEncoding.appendEncoded([entry.namespace], keeping: .pathCharacter, to: &namespace)
            namespace.append(UInt8(ascii: "/"))
        }
        return base + String(decoding: namespace + bytes.dropFirst(), as: UTF8.self)
    }
}
