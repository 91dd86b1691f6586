// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1
import TestSupport
import Testing
import WebArchive
import WebArchiveReplay

@testable import WebArchiveServer

@Suite struct PreparedHeadersTests {
    @Test func theServerIsNamedOnce() throws {
        let sample = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(url: "https://site.example/old"),
                response: ArchiveResponse(headers: ["Server": "Old/1"]),
                body: writer.addBody(Array("old".utf8)))
        }
        let responder = try ArchiveLibrary([sample.path]).responder
        for (path, name) in [("old", "Old/1"), ("style.css", "webarc")] {
            let prepared = responder.get("https://site.example/\(path)").prepared as? PreparedHeaders
            #expect(prepared?.headers["Server"] == [name])
        }
    }
}
