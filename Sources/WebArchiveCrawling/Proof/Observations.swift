// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The requests of the crawl, by page.
struct Observations: Sendable {
    private var observations: [RequestIdentity: [PageObservation]] = [:]

    /// Reads the observations of some pages.
    ///
    /// - Throws: `io`; `limitExceeded` for an archive that was made to decode to far more than it has.
    init(of archive: ArchiveReader, _ pages: [ProvenPages.Page]) throws(ArchiveError) {
        let wanted = Set(pages.map { RequestIdentity(url: $0.url) })
        var found: [RequestIdentity: [PageObservation]] = [:]
        try archive.forEachObservation { observation throws(ArchiveError) in
            let page = RequestIdentity(url: observation.url)
            guard wanted.contains(page) else { return }
            found[page, default: []].append(observation.withoutLinks)
        }
        observations = found
    }

    /// The requests of a page at its time, or else at the last one that is known; nil if there are none.
    subscript(page: ProvenPages.Page) -> PageObservation? {
        let known = observations[RequestIdentity(url: page.url)] ?? []
        return known.last { $0.time == page.time } ?? known.max { $0.time.nanoseconds < $1.time.nanoseconds }
    }
}
