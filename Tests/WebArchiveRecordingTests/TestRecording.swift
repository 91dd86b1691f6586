// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveInterchange

@testable import WebArchiveRecording

/// A recording proxy for one test, with clients that use it.
final class TestRecording: Sendable {
    let folder: TemporaryFolder
    let proxy: RecordingProxy
    var path: FilePath { folder.path("a.webarc") }

    private init(_ folder: TemporaryFolder, _ proxy: RecordingProxy) { (self.folder, self.proxy) = (folder, proxy) }

    /// Starts a proxy that may reach origins of this machine, and keeps what was on the wire.
    static func start(_ adjust: (inout RecordingProxy.Options) -> Void = { _ in }) async throws -> TestRecording {
        let folder = try TemporaryFolder()
        var options = RecordingProxy.Options()
        options.port = 0
        options.threads = 2
        options.allowsPrivateTargets = true
        options.keepsOriginals = true
        // Commits come when a test wants them.
        options.commitInterval = .seconds(3600)
        adjust(&options)
        return TestRecording(
            folder,
            try await RecordingProxy.start(
                folder.path("a.webarc"), options: options,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    }

    /// Runs curl through the proxy.
    func curl(_ arguments: String...) throws -> ExternalTool.Result { try curl(arguments) }

    func curl(_ arguments: [String]) throws -> ExternalTool.Result {
        try ExternalTool.run(
            ["curl", "--silent", "--max-time", "60", "--proxy", "http://127.0.0.1:\(proxy.port)"] + arguments)
    }

    /// Ends the proxy, and opens what it recorded.
    func finish() async throws -> ArchiveReader {
        try await proxy.shutdown()
        return try ArchiveReader(path: path)
    }
}

extension ArchiveReader {
    /// Returns the newest response to a GET.
    func response(_ url: String) throws -> ArchiveEntry { try #require(try entry(for: CanonicalURL(url)), "\(url)") }

    /// Returns the body of the newest response to a GET.
    func text(_ url: String) throws -> String {
        String(decoding: try response(url).body?.bytes() ?? [], as: UTF8.self)
    }
}

extension ArchiveEntry {
    /// The bytes of the response as the origin server sent them.
    var receivedBytes: [UInt8] {
        get throws {
            let response = try #require(try response)
            let line = StatusLine.bytes(
                version: response.version, status: response.status, reason: Array(response.reason.utf8))
            let head = try responseHead?.bytes() ?? MessageHead.serialised(line, response.headers)
            return try head + (responseWire?.bytes() ?? body?.bytes() ?? [])
        }
    }
}
