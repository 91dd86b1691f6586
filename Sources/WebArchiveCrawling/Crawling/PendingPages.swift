// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveBrowser

/// A page that was visited and waits for its commit.
struct PendingPage: Sendable {
    var page: ArchivePage
    /// Whether the page belongs into the list of pages; false for one that a server refused.
    let isListed: Bool
    let text: String
    let screenshot: [UInt8]?
    let requests: [VisitedRequest]
    let links: [String]
    private let conditions: PageConditions

    /// Creates a page of a visit.
    init(_ visit: PageVisit, _ item: CrawlFrontier.Item, time: ArchiveTime, _ conditions: PageConditions) {
        self.conditions = conditions
        let url = item.url.description
        page = ArchivePage(
            url: url, time: time, title: visit.title, status: visit.status, isSeed: item.isSeed, depth: item.depth)
        isListed = (200...299).contains(visit.status) || visit.status == 0
        (text, screenshot, requests, links) = (visit.text, visit.screenshot, visit.requests, visit.links)
    }

    /// Adds the page, its contents and its observation to a commit, in which the exchanges of the page are, or are known.
    func add(
        to builder: CommitBuilder, _ bodies: GroupedBodies, _ exchanges: ExchangeTable
    ) throws(ArchiveError) {
        if isListed {
            let text = try text.isEmpty ? nil : body(Array(text.utf8), "text/plain", bodies)
            let picture = try screenshot.mapTyped { picture throws(ArchiveError) in
                try body(picture, "image/png", bodies)
            }
            try builder.add(page, text: text, screenshot: picture)
        }
        guard let time = page.time else { return }
        var observation = PageObservation(
            url: page.url, time: time, requests: requests.map(exchanges.observed), links: links)
        observation.conditions = conditions
        try observation.add(to: builder)
    }

    private func body(
        _ bytes: [UInt8], _ kind: String, _ bodies: GroupedBodies
    ) throws(ArchiveError) -> CommitBuilder.BodyReference {
        try bytes.withBytes { (bytes) throws(ArchiveError) in try bodies.add(bytes, kind: kind) }
    }
}
