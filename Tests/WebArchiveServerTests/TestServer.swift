// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveServer

/// A server for one test, on a port of its own.
final class TestServer: Sendable {
    let server: ReplayServer
    var port: Int { server.port }
    var service: ReplayService { server.service }

    init(
        _ paths: [FilePath], options: ReplayService.Options = .init(), log: AccessLog? = nil,
        _ adjust: (inout ReplayServer.Options) -> Void = { _ in }
    ) throws {
        let service = ReplayService(
            try ArchiveLibrary(paths), options: options, log: log,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        var options = ReplayServer.Options()
        options.port = 0
        options.threads = 2
        adjust(&options)
        server = try ReplayServer(service, options: options)
    }

    deinit { server.stop(within: .zero) }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Runs curl, and gives what it printed.
    func curl(_ arguments: String...) throws -> ExternalTool.Result { try curl(arguments) }

    func curl(_ arguments: [String]) throws -> ExternalTool.Result {
        try ExternalTool.run(["curl", "--silent", "--show-error", "--max-time", "60"] + arguments)
    }

    /// Sends bytes on a connection of its own, and gives all that comes until the server ends it.
    func exchange(_ request: String) throws -> String {
        let client = try RawClient(port: port)
        client.send(request)
        return String(decoding: try client.receiveAll(), as: UTF8.self)
    }
}
