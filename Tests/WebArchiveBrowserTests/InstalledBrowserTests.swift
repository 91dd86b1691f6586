// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveBrowser
@testable import WebArchiveServer

@Suite struct KioskBrowserTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func program(_ name: String) throws -> String {
        let path = try folder.write(name, Array("#!/bin/sh\n".utf8)).string
        #expect(chmod(path, 0o755) == 0)
        return path
    }

    @Test func chromiumComesFirst() throws {
        let path = folder.url.path
        let none = #expect(throws: ArchiveError.self) { try InstalledBrowser.find(path: path) }
        #expect(none?.code == .invalidArgument && none?.recovery == .installBrowser)
        for (name, kind) in [
            ("cog", InstalledBrowser.Kind.cog), ("firefox", .firefox), ("chromium-browser", .chromium),
        ] {
            let program = try program(name)
            let found = try InstalledBrowser.find(path: path)
            #expect(found.kind == kind && found.command == [program])
        }
        // Folders and what cannot be run are no browsers.
        try folder.write("chromium", [])
        #expect(try InstalledBrowser.find(path: path).command == [folder.path("chromium-browser").string])
    }

    @Test func whatAUserNames() throws {
        let path = folder.url.path
        let chrome = try program("my chrome")
        #expect(try InstalledBrowser(chrome).command == [chrome])
        let firefox = try program("firefox-nightly")
        let browser = try InstalledBrowser("firefox-nightly --safe-mode", path: path)
        #expect(browser.kind == .firefox && browser.command == [firefox, "--safe-mode"])
        #expect(try InstalledBrowser("/bin/sh -c true").kind == .other)
        #expect(failure { _ = try InstalledBrowser("none-such --x", path: path) }?.code == .invalidArgument)
        #expect(failure { _ = try InstalledBrowser("", path: path) }?.code == .invalidArgument)
    }

    #if os(Linux)
        @Test func aDisplayIsNeeded() throws {
            func fault(
                _ name: String, _ options: [String] = [], _ environment: [String: String] = [:]
            ) throws -> Failure? {
                let browser = try InstalledBrowser(program(name))
                return failure { try browser.checkDisplay(options: options, environment: environment) }
            }
            for name in ["chromium", "firefox"] {
                #expect(try fault(name)?.code == .invalidArgument)
                #expect(try fault(name, [], ["DISPLAY": ""])?.code == .invalidArgument)
                #expect(try fault(name, ["--ozone-platform=wayland"])?.code == .invalidArgument)
                #expect(try fault(name, [], ["DISPLAY": ":0"]) == nil)
                #expect(try fault(name, [], ["DISPLAY": "", "WAYLAND_DISPLAY": "wayland-0"]) == nil)
                for option in ["--display=:1", "--headless", "--ozone-platform=drm"] {
                    #expect(try fault(name, [option]) == nil, "\(option)")
                }
            }
            // It draws on the screen itself, or knows a display of its own.
            for name in ["cog", "surf"] { #expect(try fault(name) == nil) }
        }
    #endif

    private func setting(_ display: BrowserDisplay, isSuperuser: Bool = false) throws -> BrowserSetting {
        let authority = try DeviceAuthority(hosts: nil, device: "test", now: Date())
        let profile = folder.path("profile-\(UUID().uuidString)")
        try PrivateFile.makeFolder(profile)
        let trusted = TrustedAuthority(
            certificate: try authority.certificateText(), publicKeyPin: try authority.publicKeyPin)
        var setting = BrowserSetting(
            port: 8123, authority: trusted, display: display, mainPage: "https://site.example/", profile: profile,
            isSuperuser: isSuperuser)
        setting.options = ["--own"]
        return setting
    }

    @Test func chromiumIsShutIn() throws {
        let setting = try setting(.fullScreen)
        let launch = try BrowserLaunch(try InstalledBrowser(program("chromium")), setting)
        let pin = setting.authority.publicKeyPin
        for option in [
            "--kiosk", "--user-data-dir=\(setting.profile)", "--proxy-server=http://127.0.0.1:8123",
            "--proxy-bypass-list=<-loopback>",
            "--host-resolver-rules=MAP *.local 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            "--ignore-certificate-errors-spki-list=\(pin)", "--remote-debugging-pipe",
        ] {
            #expect(launch.command.contains(option), "\(option)")
        }
        #expect(!launch.command.contains("--no-sandbox") && launch.command.suffix(2) == ["--own", StartPage.address])
        let text = try PrivateFile.text(of: setting.profile.appending("Default/Preferences"))
        #expect(text.contains("\"download_restrictions\": 3"))
        let trial = try ChromiumProfile(setting: self.setting(.windowed, isSuperuser: true)).arguments
        #expect(trial.contains("--no-sandbox") && !trial.contains("--kiosk") && !trial.contains("--headless"))
    }

    /// `env` ends with 127 where there is none, and with 126 where a folder of the search path may not be looked into.
    private static let hasCertutil = (try? ExternalTool.run(["certutil", "--help"])).map { $0.status < 126 } ?? false

    @Test(.enabled(if: hasCertutil))
    func firefoxTrustsOneAuthority() throws {
        let setting = try setting(.headless)
        let launch = try BrowserLaunch(try InstalledBrowser(program("firefox")), setting)
        #expect(launch.command.suffix(3) == ["--headless", "--own", "https://site.example/"])
        let text = try PrivateFile.text(of: setting.profile.appending("user.js"))
        #expect(text.contains("user_pref(\"network.proxy.ssl_port\", 8123);\n"))
        let list = try ExternalTool.run(["certutil", "-L", "-d", "sql:\(setting.profile)"])
        #expect(list.text.split(separator: "\n").filter { $0.contains("C,,") }.count == 1, "\(list.text)")
    }

    @Test func others() throws {
        let cog = try BrowserLaunch(try InstalledBrowser(program("cog")), setting(.fullScreen))
        #expect(cog.command.dropFirst().first == "--proxy=http://127.0.0.1:8123")
        #expect(cog.environment["COG_PLATFORM_WL_VIEW_FULLSCREEN"] == "1")
        let other = try BrowserLaunch(try InstalledBrowser(program("surf")), setting(.fullScreen))
        #expect(other.command.suffix(2) == ["--own", "https://site.example/"])
        #expect(other.environment["https_proxy"] == "http://127.0.0.1:8123")
    }

    @Test func aProcessAndItsDescriptors() throws {
        let pipes = try DevToolsDescriptors()
        let reason = Mutex("")
        let ended = DispatchSemaphore(value: 0)
        _ = try BrowserProcess(
            ["/bin/sh", "-c", "echo said; cat <&3 >&4; test ! -e /dev/fd/5 && exit 7"], environment: [:],
            log: folder.path("log"), descriptors: pipes.childEnds
        ) { text in
            reason.withLock { $0 = text }
            ended.signal()
        }
        pipes.closeChildEnds()
        _ = try pipes.writing.writeAll(Array("hello".utf8))
        try pipes.writing.close()
        var bytes = [UInt8](repeating: 0, count: 5)
        #expect(try bytes.withUnsafeMutableBytes { try pipes.reading.read(into: $0) } == 5)
        #expect(bytes == Array("hello".utf8))
        #expect(ended.wait(timeout: .now() + 60) == .success)
        #expect(reason.withLock(\.self) == "status 7")
        #expect(try folder.read("log") == Array("said\n".utf8))
        let missing = failure {
            _ = try BrowserProcess(
                ["/none/such"], environment: [:], log: folder.path("log"), descriptors: []
            ) { _ in }
        }
        #expect(missing?.code == .io)
    }

    /// All its processes, those of before included.
    @Test func aProcessThatGivesWay() throws {
        let pipes = try DevToolsDescriptors()
        let ended = DispatchSemaphore(value: 0)
        let process = try BrowserProcess(
            ["/bin/sh", "-c", "(cat <&3; exec nice) & echo >&4; wait"], environment: [:],
            log: folder.path("log"), descriptors: pipes.childEnds
        ) { _ in ended.signal() }
        pipes.closeChildEnds()
        var byte: [UInt8] = [0]
        #expect(try byte.withUnsafeMutableBytes { try pipes.reading.read(into: $0) } == 1)
        process.giveWay()
        try pipes.writing.close()
        #expect(ended.wait(timeout: .now() + 60) == .success)
        #expect(try folder.read("log") == Array("19\n".utf8))
        try pipes.reading.close()
    }

    #if os(Linux)
        /// A page deletes files that it still reads. Libraries of a browser that was upgraded lie elsewhere.
        @Test(arguments: [true, false]) func deletedFiles(areOfItsData: Bool) throws {
            let length = 48 << 20
            let file = try folder.write(
                areOfItsData ? "data/profile/file" : "lib/file", [UInt8](repeating: 7, count: length))
            try folder.write("data/other", [])
            try #require(symlink(folder.path("data").string, folder.path("link").string) == 0)
            let pipes = try DevToolsDescriptors()
            let ended = DispatchSemaphore(value: 0)
            let process = try BrowserProcess(
                ["/bin/sh", "-c", "exec 5<\(file) && rm \(file) && echo >&4 && cat <&3"], environment: [:],
                data: folder.path("link"), log: folder.path("log"), descriptors: pipes.childEnds
            ) { _ in ended.signal() }
            pipes.closeChildEnds()
            var byte: [UInt8] = [0]
            #expect(try byte.withUnsafeMutableBytes { try pipes.reading.read(into: $0) } == 1)
            #expect((try #require(process.memory) >= length) == areOfItsData)
            try pipes.writing.close()
            #expect(ended.wait(timeout: .now() + 60) == .success)
            try pipes.reading.close()
        }

        /// The browser alone sees the files, without a capability; where that is refused it starts without them.
        @Test(arguments: ["etc", "not:possible"]) func filesInEtc(_ name: String) throws {
            try folder.write("\(name)/webarc-probe", Array("probe\n".utf8))
            let ended = DispatchSemaphore(value: 0)
            _ = try BrowserProcess(
                [
                    "/bin/sh", "-c",
                    "cat /etc/webarc-probe; test -s /etc/passwd && id -u; grep CapEff /proc/self/status",
                ],
                environment: [:], etc: folder.path(name), log: folder.path("log"), descriptors: []
            ) { _ in ended.signal() }
            #expect(ended.wait(timeout: .now() + 60) == .success)
            let log = String(decoding: try folder.read("log"), as: UTF8.self)
            #expect(log.contains("probe\n") == (name == "etc"), "\(log)")
            #expect(log.contains("\n\(geteuid())\n"), "\(log)")
            if geteuid() != 0 { #expect(log.contains("CapEff:\t0000000000000000"), "\(log)") }
            #expect(!FileManager.default.fileExists(atPath: "/etc/webarc-probe"))
        }
    #endif
}
