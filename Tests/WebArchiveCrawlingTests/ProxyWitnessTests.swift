// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive
import WebArchiveReplay

@testable import WebArchiveCrawling

@Suite struct ProxyWitnessTests {
    /// A page that sends more requests than are kept is not taken for one that sent no others. Repetitions do not count.
    @Test func moreRequestsThanAreKept() throws {
        let folder = try TemporaryFolder()
        let writer = try ArchiveWriter(creating: folder.path("site.webarc"))
        try writer.add(
            ArchiveRequest(url: "https://a.example/"), response: ArchiveResponse(), body: writer.addBody([1]))
        try writer.commit()
        let responder = try ReplayResponder(ReplaySite([ArchiveReader(path: folder.path("site.webarc"))]))
        let witness = ProxyWitness(maximumCount: 2)
        func send(_ paths: String...) {
            for path in paths {
                let request = ReplayRequest("https://a.example/\(path)")
                witness.note(request, responder.respond(to: request))
            }
        }
        send("", "x", "", "x")
        let whole = witness.take()
        #expect(whole.requests.map(\.identity.url) == ["https://a.example/", "https://a.example/x"])
        #expect(!whole.isTruncated)
        send("", "x", "missing")
        #expect(witness.take().isTruncated)
        #expect(!witness.take().isTruncated)
    }
}
