// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveBrowser

/// A page to replay with all that the archive knows of its visit in the crawl.
struct KnownPage: Sendable {
    let page: ProvenPages.Page
    /// The requests of the crawl; nil if they are unknown.
    let observation: PageObservation?
    /// The text in the list of pages; nil if there is none to compare with.
    let text: [UInt8]?
    /// The picture in the list of pages, likewise.
    let screenshot: [UInt8]?

    /// The maximum length of a stored text or picture that is compared, in bytes.
    private static let maximumLength: UInt64 = 64 << 20

    /// Reads the contents and the requests of a page. A text or picture that is too long or damaged counts as none.
    init(_ page: ProvenPages.Page, _ observation: PageObservation?, _ archive: ArchiveReader) {
        (self.page, self.observation) = (page, observation)
        let stored = page.number.map { archive.page($0) }
        (text, screenshot) = (Self.bytes(try? stored?.text), Self.bytes(try? stored?.screenshot))
    }

    /// The end of the visit of the crawl, by which a replay need not wait for requests that do not come; nil unless all of it is known.
    var expectation: VisitExpectation? {
        guard let observation, !observation.isTruncated, let text else { return nil }
        // Which of several pages requests the icon of a host is chance.
        let requests = observation.requests.filter { !RequestIdentity($0).isForIcon }
        return VisitExpectation(
            targets: Set(requests.map { VisitExpectation.Target(method: $0.method, url: $0.url) }),
            text: String(decoding: text, as: UTF8.self))
    }

    /// Returns conditions of a replay: those that are given, and for the others those of the crawl.
    func conditions(_ given: PageConditions) -> PageConditions {
        PageConditions(
            clock: given.clock ?? observation?.conditions.clock, seed: given.seed ?? observation?.conditions.seed)
    }

    private static func bytes(_ body: ArchiveBody?) -> [UInt8]? {
        guard let body, body.length <= maximumLength else { return nil }
        return try? body.bytes()
    }
}
