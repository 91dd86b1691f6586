// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// The result of a proof: every page with its requests, and how the browser was kept from networks.
package struct ProofReport: Sendable {
    /// A way in which the browser was kept from networks.
    package enum Isolation: String, Sendable {
        /// It ran in a network namespace whose only device is its own loopback.
        case namespace
        /// Its proxy and its resolver led to the archive alone; the system refused a namespace.
        case proxy
    }

    /// A request that several pages may have sent, with these pages.
    package struct Fault: Sendable {
        /// The request as the first page had it.
        package let request: ClassifiedRequest
        /// The URLs of the pages, in the order of the proof.
        package var pages: [String]
    }

    /// The path of the archive as given.
    package let archive: String
    /// The way in which the browser was kept from networks.
    package let isolation: Isolation
    /// The reason why the system refused a namespace; nil if it did not.
    package var refusal: String?
    /// The time for which captures were chosen; nil for the newest.
    package var time: ArchiveTime?
    /// The number of pages of the archive, of which ``pages`` may be a sample.
    package var pageCount: Int
    /// The seed of the sample; nil for no sample.
    package var seed: UInt64?
    /// The pages, in the order of the archive.
    package var pages: [PageProof]

    /// Creates a report.
    package init(archive: String, isolation: Isolation, pages: [PageProof], pageCount: Int? = nil) {
        (self.archive, self.isolation, self.pages) = (archive, isolation, pages)
        self.pageCount = pageCount ?? pages.count
    }

    /// Whether no page has a miss or a leak, and every replay came to its end.
    package var isComplete: Bool { pages.allSatisfy(\.isComplete) }

    /// Counts the requests of a class, of all pages together.
    package func count(_ requestClass: RequestClass) -> Int { pages.reduce(0) { $0 + $1.count(requestClass) } }

    /// Returns the requests of a class, each with the pages that sent it, in the order of their identities.
    package func faults(_ requestClass: RequestClass) -> [Fault] {
        var faults: [RequestIdentity: Fault] = [:]
        for page in pages {
            for request in page.requests where request.requestClass == requestClass {
                if faults[request.identity]?.pages.last != page.url {
                    faults[request.identity, default: Fault(request: request, pages: [])].pages.append(page.url)
                }
            }
        }
        return faults.values.sorted { $0.request.identity < $1.request.identity }
    }

    /// Returns the URLs of pages with an agreement, in the order of the proof.
    package func pages(_ part: KeyPath<PageProof, ContentAgreement>, _ agreement: ContentAgreement) -> [String] {
        pages.filter { $0[keyPath: part] == agreement }.map(\.url)
    }
}
