// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveBrowser
@testable import WebArchiveKiosk
@testable import WebArchiveServer

/// A kiosk for one test: without a screen, or full screen on one.
final class RunningKiosk {
    let kiosk: Kiosk
    private let folder: TemporaryFolder
    let server: ReplayServer
    let page: TestPage
    let warnings = RecordedWarnings()
    private let netLog: FilePath
    private let thread: BackgroundThread<Void>

    /// - Parameters:
    ///   - archive: whose main page has this title.
    ///   - browser: nil for the one that is installed.
    init(
        _ archive: FilePath, title: String, in folder: TemporaryFolder, browser: InstalledBrowser? = nil,
        service: ReplayService.Options = .init(), change: (inout Kiosk.Options) -> Void = { _ in }
    ) throws {
        var options = Kiosk.Options()
        options.display = .headless
        options.idle = nil
        self.folder = folder
        netLog = folder.path("net.json")
        options.browserOptions = [NetworkLog.option(netLog)]
        change(&options)
        let warnings = warnings
        let kiosk = try Kiosk(
            browser ?? InstalledBrowser.find(), options: options, logger: Logger(label: "kiosk") { _ in warnings })
        let server = try BrowserTests.server(archive, kiosk.authority, options: service)
        (self.kiosk, self.server) = (kiosk, server)
        thread = BackgroundThread { kiosk.run(on: server) }
        page = TestPage { kiosk.control }
        page.wait(for: "document.title === '\(title)' && document.readyState === 'complete'")
    }

    /// Ends as the command does on a signal.
    func end() throws {
        kiosk.stop()
        try thread.value()
        server.stop(within: .zero)
    }

    /// Ends, and expects that the browser, which was the only one, spoke with the server alone.
    func endInside(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try end()
        try NetworkLog(reading: netLog).expectOnly(port: server.port, sourceLocation: sourceLocation)
    }
}

/// The reports of a kiosk to its operators.
struct RecordedWarnings: LogHandler {
    private final class Texts: Sendable { let all = Mutex<[String]>([]) }

    private let texts = Texts()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    var all: [String] { texts.all.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        texts.all.withLock { $0.append("\(event.message)") }
    }
}
