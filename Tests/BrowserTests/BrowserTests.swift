// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveBrowser
@testable import WebArchiveServer

/// Real browsers, one after the other: each takes several processes.
@Suite(.serialized, .enabled(if: TestBrowser.isExpected))
enum BrowserTests {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    static func server(
        _ path: FilePath, _ authority: DeviceAuthority? = nil, options: ReplayService.Options = .init(),
        matching: ArchiveMatcher.Options = .serving, log: AccessLog? = nil
    ) throws -> ReplayServer {
        var library = ArchiveLibrary.Options()
        library.matching = matching
        let service = ReplayService(
            try ArchiveLibrary([path], options: library), options: options, log: log, logger: logger)
        var options = ReplayServer.Options()
        options.port = 0
        options.authority = authority
        return try ReplayServer(service, options: options)
    }

    /// The findings of the page of ``BrowserSite`` when everything works.
    static let results: [String: JSONValue] = [
        "data": 42, "film": 20, "font": "loaded", "module": "imported", "style": "rgb(0, 80, 120)", "worker": "worked",
    ]
}

extension BrowserTests {
    static var isLinux: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }
}
