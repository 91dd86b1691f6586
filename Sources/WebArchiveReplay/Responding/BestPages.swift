// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The most likely main pages of a site: HTML, and near the root.
///
/// They are for a visitor: the choice is by address and media type alone, and no content is read.
struct BestPages {
    /// The URLs, the best one first.
    ///
    /// There are at most as many as were wanted.
    let urls: [CanonicalURL]

    /// The maximum number of entries that are examined.
    ///
    /// The maximum number of entries that are examined, in the order of their keys.
    private static let entryLimit = 20_000

    /// Searches an archive.
    ///
    /// It decodes the responses of up to 20,000 entries. A budget that is used up ends the search early, with the pages
    /// found by then.
    ///
    /// - Parameters:
    ///   - archive: the archive, of which only exchanges with status 200 count.
    ///   - origin: the origin to which pages are limited; nil for all.
    ///   - count: the number of pages that is wanted.
    ///   - budget: the limit on decoded data.
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

    /// Sorts pages by rank, then by the length of their URLs, and keeps the first ones.
    private static func cut(_ found: inout [(rank: Int, url: CanonicalURL)], to count: Int) {
        found.sort { ($0.rank, $0.url.bytes.count) < ($1.rank, $1.url.bytes.count) }
        found.removeLast(max(0, found.count - count))
    }

    /// Returns the rank: pages before other files, those without a query first, then by the number of folders.
    ///
    /// The smaller rank is the better one: a page's is less than 1,000,000, and a page's without a query less than
    /// 100,000. A file named `index.` comes before the others of its folder.
    ///
    /// - Parameter mediaType: the media type of the archive; nil for none.
    private static func rank(_ url: CanonicalURL, _ mediaType: String?) -> Int {
        let depth = url.path.count { $0 == UInt8(ascii: "/") }
        let isPage = mediaType == "text/html" || mediaType == "application/xhtml+xml"
        let isNamedIndex = String(decoding: url.lastSegment, as: UTF8.self).hasPrefix("index.")
        return (isPage ? 0 : 1_000_000) + (url.query == nil ? 0 : 100_000) + 10 * min(depth, 1000)
            - (isNamedIndex ? 5 : 0)
    }
}
