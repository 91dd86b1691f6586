// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveBrowser
@testable import WebArchiveKiosk
@testable import WebArchiveReplay
@testable import WebArchiveServer

/// A headless Chromium for one test.
final class TestBrowser: Sendable {
    /// Nil where none is installed.
    static let chromium = try? InstalledBrowser.find()

    /// On Linux `Tools/setup --tests` installs it, and a test that finds none fails; elsewhere it is skipped.
    static var isExpected: Bool {
        #if os(Linux)
            true
        #else
            chromium?.kind == .chromium
        #endif
    }

    let page: TestPage
    private let process: BrowserProcess
    private let control: ChromiumControl
    private let folder: TemporaryFolder
    private let ended: DispatchSemaphore
    private let port: Int

    /// Shows a page of a server, through it as the proxy if it is one.
    ///
    /// - Parameter policies: a file in JSON that wins over the policies of a kiosk; without one those are not in force either.
    init(
        _ url: String, of server: ReplayServer, authority: DeviceAuthority?, policies: String? = nil,
        allowsPrinting: Bool = false
    ) throws {
        let browser = try InstalledBrowser.find()
        try #require(browser.kind == .chromium, "Tools/setup --tests installs Chromium")
        folder = try TemporaryFolder()
        port = server.port
        let profile = folder.path("profile")
        try PrivateFile.makeFolder(profile)
        var setting = BrowserSetting(
            port: server.port,
            authority: try TrustedAuthority(authority ?? DeviceAuthority(hosts: [], device: "test", now: Date())),
            display: .headless, mainPage: url, profile: profile)
        setting.options = [NetworkLog.option(folder.path("net.json"))]
        setting.allowsPrinting = allowsPrinting
        if authority == nil {
            // As browsers have it that are no kiosk's: the names below localhost are this machine.
            let rules = "MAP *.localhost 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
            setting.options += ["--proxy-server=direct://", "--host-resolver-rules=\(rules)"]
        }
        let launch = try BrowserLaunch(browser, setting)
        if let policies, let etc = launch.etc {
            for folder in ["chromium", "opt/chrome"] {
                let file = etc.appending("\(folder)/policies/managed/zzzz-test.json")
                try Data(policies.utf8).write(to: URL(fileURLWithPath: file.string))
            }
        }
        let pipes = try DevToolsDescriptors()
        let ended = DispatchSemaphore(value: 0)
        self.ended = ended
        process = try BrowserProcess(
            launch.command, environment: launch.environment, etc: policies == nil ? nil : launch.etc,
            log: folder.path("log"), descriptors: pipes.childEnds
        ) { _ in ended.signal() }
        pipes.closeChildEnds()
        let control = ChromiumControl(
            reading: pipes.reading, writing: pipes.writing, mainPage: url, display: .headless
        ) { _ in }
        self.control = control
        page = TestPage { control }
    }

    deinit { process.signal(SIGKILL) }

    /// Ends the browser, and returns its uses of the network.
    func end() throws -> NetworkLog {
        control.close()
        #expect(ended.wait(timeout: .now() + waitingLimit) == .success)
        return try NetworkLog(reading: folder.path("net.json"))
    }

    /// Ends the browser, and expects that it spoke with its server only.
    func endInside(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try end().expectOnly(port: port, sourceLocation: sourceLocation)
    }
}
