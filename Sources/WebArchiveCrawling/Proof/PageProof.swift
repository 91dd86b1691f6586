// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// The proof of one page: its requests in two replays, each with its class, and its text and picture.
package struct PageProof: Sendable {
    /// The URL of the page.
    package let url: String
    /// The time of the page in the list of pages; nil if it is not known.
    package var time: ArchiveTime?
    /// The title that the page had; nil without one.
    package var title: String?
    /// Whether the requests were compared with those of a crawl, and not only with the archive.
    package var isCompared = false
    /// The requests, in the order of their identities.
    package var requests: [ClassifiedRequest] = []
    /// The agreement of the texts.
    package var text = ContentAgreement.unknown
    /// The agreement of the pictures.
    package var screenshot = ContentAgreement.unknown
    /// The reason why a replay did not end as it should, such as a renderer that crashed; nil if both did.
    package var failure: String?

    /// Creates the proof of a page of which nothing is known yet.
    package init(url: String) { self.url = url }

    /// Counts the requests of a class.
    package func count(_ requestClass: RequestClass) -> Int { requests.count { $0.requestClass == requestClass } }

    /// Whether a visitor would miss nothing, and reach nothing else.
    package var isComplete: Bool { failure == nil && !requests.contains { $0.requestClass.isFault } }
}
