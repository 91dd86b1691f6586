// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveServer

@Suite struct ServerTaskTests {
    /// Cancelling the task ends the server, and the port is free again.
    @Test func servesUntilTheTaskIsCancelled() async throws {
        let sample = try ReplaySample()
        let service = ReplayService(
            try ArchiveLibrary([sample.path]), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        var options = ReplayServer.Options()
        options.port = 0
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let task = Task { [options] in
            try await ReplayServer.run(service, options: options) { listening.yield($0.port) }
        }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        let page = try ExternalTool.run(["curl", "--silent", "--fail", "http://localhost:\(port)/"])
        #expect(page.status == 0 && !page.output.isEmpty)
        options.port = port
        do throws(ArchiveError) {
            try await ReplayServer.run(service, options: options)
            Issue.record("the port is taken")
        } catch {
            #expect(error.code == .io)
        }
        task.cancel()
        try await task.value
        #expect(try ExternalTool.run(["curl", "--silent", "http://localhost:\(port)/"]).status == 7)
    }
}
