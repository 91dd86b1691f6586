// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// The pages of an archive that a proof replays.
///
/// They are those of the list of pages, each URL once; without a list, the main page and all HTML documents whose response has status 200.
package struct ProvenPages: Sendable {
    /// A page to replay, with its place in the list of pages.
    package struct Page: Sendable {
        /// The URL.
        package let url: String
        /// The time of the page in the list; nil without one.
        package var time: ArchiveTime?
        /// The number in the list of pages; nil for a page that is not listed.
        package var number: Int?
    }

    /// The pages, in the order of the list, or else the main page before the others in the order of their keys.
    package private(set) var pages: [Page]
    /// The number of pages before a sample was taken.
    package let total: Int

    /// The maximum number of pages, which a hostile archive might have by the billion.
    private static let maximumCount = 1 << 20

    /// Lists the pages.
    ///
    /// - Parameters:
    ///   - archive: the archive.
    ///   - time: the wanted time of captures: of several pages with one URL the nearest is replayed, by default the newest.
    /// - Throws: `limitExceeded` for more than a million pages; `damaged` and `io`.
    package init(of archive: ArchiveReader, at time: ArchiveTime? = nil) throws(ArchiveError) {
        pages = try archive.pageCount > 0 ? Self.listed(archive, time) : Self.documents(archive)
        total = pages.count
    }

    /// Creates the list of given pages, which may be missing from the archive.
    package init(_ urls: [String], of archive: ArchiveReader, at time: ArchiveTime? = nil) throws(ArchiveError) {
        let listed = try archive.pageCount > 0 ? Self.listed(archive, time) : []
        let known = Dictionary(listed.map { (RequestIdentity(url: $0.url), $0) }) { first, _ in first }
        pages = urls.map { known[RequestIdentity(url: $0)] ?? Page(url: $0) }
        total = pages.count
    }

    private static func listed(_ archive: ArchiveReader, _ time: ArchiveTime?) throws(ArchiveError) -> [Page] {
        var pages: [Page] = []
        var known: [RequestIdentity: Int] = [:]
        let limited = archive.limited(to: DecodingBudget(forPassOver: archive))
        for number in 0..<archive.pageCount {
            let stored = try limited.page(number).page
            let page = Page(url: stored.url, time: stored.time, number: number)
            guard let place = known[RequestIdentity(url: stored.url)] else {
                known[RequestIdentity(url: stored.url)] = pages.count
                pages.append(page)
                try check(pages.count)
                continue
            }
            if page.isNearer(than: pages[place], to: time) { pages[place] = page }
        }
        return pages
    }

    private static func documents(_ archive: ArchiveReader) throws(ArchiveError) -> [Page] {
        var urls: [String] = []
        if let main = try archive.mainPage()?.description { urls.append(main) }
        let main = urls.first
        let limited = archive.limited(to: DecodingBudget(forPassOver: archive))
        try limited.forEachEntry { entry throws(ArchiveError) in
            guard try entry.role.isServed, try entry.kind == .response, try entry.method == "GET",
                let response = try entry.response, response.status == 200,
                ContentTypeValue.parts(of: response.headers["Content-Type"] ?? "").mediaType == "text/html"
            else { return true }
            let url = try entry.key
            // Captures of one URL follow each other.
            if url != main, url != urls.last, url.hasPrefix("http") { urls.append(url) }
            try check(urls.count)
            return true
        }
        return urls.map { Page(url: $0) }
    }

    private static func check(_ count: Int) throws(ArchiveError) {
        guard count <= maximumCount else {
            throw ArchiveError(
                .limitExceeded, "the archive has more than \(maximumCount) pages; choose some with --page")
        }
    }

    /// Keeps a sample, in the same order. A page is chosen by a digest of the seed and its URL: the same seed chooses the same pages, and mostly
    /// those of another edition as well.
    ///
    /// - Parameter count: the number of pages; all stay if there are not more.
    package mutating func sample(_ count: Int, seed: UInt64) {
        guard count < pages.count else { return }
        let lots = pages.map { page in
            let digest = ContentDigest(hashing: Array("\(seed) \(page.url)".utf8))
            return (digest.high, digest.low)
        }
        let chosen = Set(pages.indices.sorted { lots[$0] < lots[$1] }.prefix(count))
        pages = pages.indices.filter(chosen.contains).map { pages[$0] }
    }
}

extension ProvenPages.Page {
    /// Returns whether this capture of a page is preferred to another: the nearest to a time, or else the newest.
    fileprivate func isNearer(than other: ProvenPages.Page, to wanted: ArchiveTime?) -> Bool {
        let (own, others) = (time?.nanoseconds ?? 0, other.time?.nanoseconds ?? 0)
        guard let wanted = wanted?.nanoseconds else { return own >= others }
        // Differences of two times take 65 bits.
        return (Double(own) - Double(wanted)).magnitude < (Double(others) - Double(wanted)).magnitude
    }
}
