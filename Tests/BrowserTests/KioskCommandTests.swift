// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveBrowser

extension BrowserTests {
    /// The program as a user has it.
    @Suite(.serialized) struct KioskCommandTests {
        /// `webarc kiosk` while it runs.
        private final class Program {
            let process = Process()
            private let log: URL
            private let errors: URL
            /// The length of the access log that has been read.
            private var position = 0

            init(_ site: BrowserSite, _ arguments: String..., path: String? = nil) throws {
                errors = site.folder.url.appendingPathComponent("errors")
                log = site.folder.url.appendingPathComponent("log-\(UUID().uuidString)")
                for file in [errors, log] { try Data().write(to: file) }
                try site.folder.write("tmp/.keep", [])
                process.executableURL = URL(fileURLWithPath: WebarcTool.path)
                process.arguments =
                    ["kiosk", site.path.string, "--state", site.folder.path("state").string] + arguments
                process.environment = ProcessInfo.processInfo.environment
                    .merging(["TMPDIR": site.folder.path("tmp").string]) { $1 }
                if let path { process.environment?["PATH"] = path }
                process.standardInput = FileHandle.nullDevice
                process.standardOutput = try FileHandle(forWritingTo: log)
                process.standardError = try FileHandle(forWritingTo: errors)
                try process.run()
            }

            deinit { if process.isRunning { process.terminate() } }

            /// Reads the access log until it has a line for a request, for a minute at most, and returns that line.
            func line(with text: String) -> String {
                var found: Substring?
                _ = waits {
                    guard let all = try? String(contentsOf: log, encoding: .utf8) else { return false }
                    let lines = all.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                    let index = lines.indices.dropFirst(position).first { lines[$0].contains(text) }
                    guard let index else { return !process.isRunning }
                    (found, position) = (lines[index], index + 1)
                    return true
                }
                return found.map(String.init) ?? "no \(text); \(messages)"
            }

            /// Sends SIGTERM, and gives the exit status.
            func stop() -> Int32 {
                process.terminate()
                process.waitUntilExit()
                return process.terminationReason == .exit ? process.terminationStatus : -1
            }

            var messages: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }
        }

        @Test func showsASite() throws {
            let site = try BrowserSite()
            let log = site.folder.path("net.json")
            let before = try Self.profiles()
            let program = try Program(site, "--headless", "--browser-option=\(NetworkLog.option(log))")
            // Its script reports its findings when all are complete.
            let report = program.line(with: "GET https://site.example/report")
            let found = try #require(report.firstMatch(of: /report\?(\S+)/)?.1.removingPercentEncoding, "\(report)")
            #expect(
                try JSONDecoder().decode(JSONValue.self, from: Data(found.utf8))
                    == .object(sorting: BrowserTests.results))
            #expect(program.stop() == 0, "\(program.messages)")
            #expect(program.messages.contains("https://site.example/ in "))
            #expect(program.messages.contains("without its sandbox") == (geteuid() == 0))
            #expect(!program.messages.contains("only Chromium can be locked down"))
            // The browser is gone with its profile.
            let left = try FileManager.default.contentsOfDirectory(atPath: site.folder.path("tmp").string)
            #expect(left == [".keep"])
            #expect(try Self.profiles() == before)
            let network = try NetworkLog(reading: log)
            #expect(network.addresses.count == 1 && network.others.isEmpty)
            #expect(network.addresses.allSatisfy { $0.hasPrefix("127.0.0.1:") })
        }

        /// Profiles of this user's kiosks: where the temporary folder has a long path, they are in /tmp.
        private static func profiles() throws -> Set<String> {
            let names = try FileManager.default.contentsOfDirectory(atPath: "/tmp")
            return Set(names.filter { $0.hasPrefix("webarc-kiosk-") })
        }

        /// Other browsers have windows and dialogs of their own, of which the operator is told.
        @Test(arguments: ["firefox", "cog", "surf"]) func aBrowserThatCannotBeLocked(_ name: String) throws {
            let site = try BrowserSite()
            let browser = try site.folder.write("bin/\(name)", Array("#!/bin/sh\nexec sleep 600\n".utf8))
            #expect(chmod(browser.string, 0o755) == 0)
            let program = try Program(
                site, "--headless", "--browser", name,
                path: "\(browser.removingLastComponent()):\(InstalledBrowser.searchPath)")
            #expect(
                waits { program.messages.contains("only Chromium can be locked down") || !program.process.isRunning })
            #expect(program.messages.contains("downloads, file pickers, printing"), "\(program.messages)")
            #expect(program.stop() == 0, "\(program.messages)")
        }

        /// Replaced by a good one while it runs, by a bad one, and bad at the next start.
        @Test func theLastGoodArchive() throws {
            let site = try BrowserSite()
            let program = try Program(site, "--headless")
            _ = program.line(with: "GET https://site.example/report")
            let next = try BrowserSite(title: "Lighthouse", name: "next.webarc", in: site.folder)
            let good = try site.folder.read("next.webarc")
            #expect(rename(next.path.string, site.path.string) == 0)
            // The kiosk sends the browser to the new main page.
            _ = program.line(with: "GET https://site.example/report")
            #expect(program.messages.contains("verified, and now served"))
            #expect(program.stop() == 0, "\(program.messages)")

            try site.folder.write("site.webarc", good.prefix(good.count / 2))
            let later = try Program(site, "--headless")
            _ = later.line(with: "GET https://site.example/report")
            #expect(later.messages.contains("showing the last good archive"))
            #expect(later.stop() == 0)
            // Without a copy there is nothing to show.
            let none = try WebarcTool.run("kiosk", site.path.string, "--headless", "--no-copy")
            #expect(none.status == 2 || none.status == 1)
        }

        /// Its first edition comes from a host, the second one from a stick that is plugged in.
        @Test func updatesItself() throws {
            let site = try BrowserSite()
            let server = try HTTPTestServer()
            func webarc(_ arguments: String...) throws {
                let result = try WebarcTool.run(arguments, in: site.folder.url)
                try #require(result.status == 0, "\(result.errorText)")
            }
            try webarc("key", "create", "k")
            for (number, folder) in ["host", "stick"].enumerated() {
                _ = try BrowserSite(title: "Edition \(number + 1)", name: "edition.webarc", in: site.folder)
                try webarc("sign", "edition.webarc", "--key", "k", "--sequence", "\(number + 1)")
                try webarc("release", folder, "edition.webarc", "--sign", "k")
            }
            for name in try FileManager.default.contentsOfDirectory(atPath: site.folder.path("host").string) {
                server["/site/" + name] = .bytes(try Data(site.folder.read("host/" + name)))
            }
            let stick = site.folder.path("media/stick")
            try FileManager.default.removeItem(atPath: site.path.string)
            let program = try Program(
                site, "--headless", "--key", site.folder.path("k.pub").string, "--updates",
                server.url("/site").absoluteString, "--updates", stick.string)
            #expect(!program.line(with: "GET https://site.example/report").hasPrefix("no "))
            #expect(program.messages.contains("edition 1, "))

            try FileManager.default.createDirectory(
                atPath: site.folder.path("media").string, withIntermediateDirectories: true)
            #expect(rename(site.folder.path("stick").string, stick.string) == 0)
            #expect(!program.line(with: "GET https://site.example/report").hasPrefix("no "))
            #expect(program.messages.contains("edition 1 became 2"))
            #expect(try site.folder.read("site.webarc") == site.folder.read("edition.webarc"))
            #expect(program.stop() == 0, "\(program.messages)")
        }

        @Test func clearErrors() throws {
            let site = try BrowserSite()
            let state = site.folder.path("state").string
            let missing = try WebarcTool.run(
                "kiosk", site.path.string, "--state", state, environment: ["PATH": site.folder.path("tmp").string])
            #expect(missing.status == 64 && missing.errorText.contains("apt install chromium"))
            for wrong in [
                ["--idle", "x"], ["--outside", "none"], ["--windowed", "--headless"], ["--browser", "none-such"],
                ["--browser", ""], ["--updates", "folder"], ["--every", "1h"], ["--update-hours", "02:00-05:00"],
                ["--updates", "folder", "--key", "k.pub", "--every", "0"],
            ] {
                #expect(
                    try WebarcTool.run(["kiosk", site.path.string, "--state", state] + wrong).status == 64, "\(wrong)")
            }
            #expect(try WebarcTool.run("kiosk", "/none/such", "--state", state, "--headless").status == 74)
        }

        #if os(Linux)
            /// Without a display a browser would be started again and again.
            @Test func noDisplay() throws {
                let site = try BrowserSite()
                let result = try WebarcTool.run(
                    "kiosk", site.path.string, "--state", site.folder.path("state").string,
                    environment: ["DISPLAY": "", "WAYLAND_DISPLAY": ""])
                #expect(result.status == 64)
                #expect(result.errorText.hasPrefix("webarc: no display: ") && result.errorText.contains("--headless"))
            }
        #endif
    }
}
