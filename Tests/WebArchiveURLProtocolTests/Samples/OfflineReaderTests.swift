// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

/// The sample as a program: once with its server, and again without.
@Suite struct OfflineReaderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(_ server: HTTPTestServer) throws -> ExternalTool.Result {
        let program = URL(fileURLWithPath: WebarcTool.path).deletingLastPathComponent().appendingPathComponent(
            "OfflineReader")
        return try ExternalTool.run([
            program.path, server.url("/").absoluteString, folder.path("articles.webarc").string,
        ])
    }

    @Test func theSampleReadsTheSameArticlesWithoutTheServer() throws {
        let server = try HTTPTestServer()
        server["/index.json"] = .text(
            #"[{"path": "tides.txt", "title": "Tides"}, {"path": "sea/salt.txt", "title": "Salt"}]"#)
        server["/tides.txt"] = .text("The moon pulls.")
        server["/sea/salt.txt"] = .redirect(302, to: "/salt")
        server["/salt"] = .text("Rivers bring it: die Flüsse.")
        let online = try read(server)
        #expect(online.status == 0, "\(online.errorText)")
        let articles = """
            # Tides (from the network)

            The moon pulls.

            # Salt (from the network)

            Rivers bring it: die Flüsse.


            """
        #expect(online.text == articles)
        #expect(server.requests.count == 4)
        server.stop()
        let offline = try read(server)
        #expect(offline.status == 0, "\(offline.errorText)")
        #expect(offline.text == articles.replacingOccurrences(of: "the network", with: "the archive"))
    }

    @Test func withoutServerAndArchiveTheSampleFails() throws {
        let server = try HTTPTestServer()
        server.stop()
        let result = try read(server)
        #expect(result.status == 1 && result.text.isEmpty && result.errorText.hasPrefix("OfflineReader: "))
    }
}
