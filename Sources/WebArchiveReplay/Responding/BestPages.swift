// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The most likely main pages of a site: HTML, and near the root.
struct BestPages {
    /// The URLs, the best one first.
    let urls: [CanonicalURL]

    /// The maximum number of entries that are examined.
    private static let entryLimit = 20_000

    /// Searches an archive.
    ///
    /// - Parameters:
    ///   - origin: the origin to which pages are limited; nil for all.
    ///   - count: the number of pages that is wanted.
    /// - Throws: `damaged` or `io`.
    init(
        of archive: ArchiveReader, origin: ArraySlice<UInt8>?, count: Int, within budget: DecodingBudget
    ) throws(ArchiveError) {
        var found: [(rank: Int, url: CanonicalURL)] = []
        var looked = 0
        let prefix = origin.map { String(decoding: $0, as: UTF8.self) } ?? ""
        do throws(ArchiveError) {
            try archive.limited(to: budget).forEachEntry(prefix: prefix) { entry throws(ArchiveError) in
                looked += 1
                guard looked <= Self.entryLimit else { return false }
                guard try entry.role == .exchange, let response = try entry.response, response.status == 200,
                    let url = try? CanonicalURL(utf8: entry.keyBytes), url.host != nil
                else { return true }
                found.append((Self.rank(url, response.mediaType), url))
                if found.count > 4 * count { Self.cut(&found, to: count) }
                return true
            }
        } catch  where error.code == .limitExceeded {
            // The pages found by then are worth showing.
        }
        Self.cut(&found, to: count)
        urls = found.map(\.url)
    }

    private static func cut(_ found: inout [(rank: Int, url: CanonicalURL)], to count: Int) {
        found.sort { ($0.rank, $0.url.bytes.count) < ($1.rank, $1.url.bytes.count) }
        found.removeLast(max(0, found.count - count))
    }

    /// Returns the rank: pages before other files, those without a query first, then by the number of folders.
    private static func rank(_ url: CanonicalURL, _ mediaType: String?) -> Int {
        let depth = url.path.count { $0 == UInt8(ascii: "/") }
        let isPage = mediaType == "text/html" || mediaType == "application/xhtml+xml"
        let isNamedIndex = String(decoding: url.lastSegment, as: UTF8.self).hasPrefix("index.")
        return (isPage ? 0 : 1_000_000) + (url.query == nil ? 0 : 100_000) + 10 * min(depth, 1000)
            - (isNamedIndex ? 5 : 0)
    }
}
