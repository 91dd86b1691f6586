// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveBrowser

@testable import WebArchiveKiosk
@testable import WebArchiveServer

extension BrowserTests {
    /// The policies for what a page cannot observe, as Chromium itself reports them, and for downloads.
    @Suite(.serialized, .enabled(if: isLinux)) struct KioskPolicyTests {
        /// A name or a value that Chromium does not know would have no effect.
        @Test(arguments: [false, true]) func chromiumKnowsEachPolicy(allowsPrinting: Bool) throws {
            let site = try AttackSite()
            let authority = try DeviceAuthority(hosts: nil, device: "test", now: Date())
            let server = try BrowserTests.server(site.path, authority)
            defer { server.stop(within: .zero) }
            // Only its page of policies opens beside the site.
            let browser = try TestBrowser(
                "\(AttackSite.origin)/", of: server, authority: authority,
                policies: #"{"URLAllowlist": ["chrome://policy", "chrome://resources", "https://*", "data:*"]}"#,
                allowsPrinting: allowsPrinting)
            browser.page.wait(for: "document.title === 'Attack'")
            try browser.page.command("Page.navigate", ["url": "chrome://policy/"])
            browser.page.wait(for: "location.href === 'chrome://policy/' && document.readyState === 'complete'")
            let report = try browser.page.evaluate(
                """
                import('chrome://resources/js/cr.js').then(cr => new Promise(done => {
                  cr.addWebUiListener('policies-updated', (names, values) => done(values.policyGroups.chrome.policies))
                  chrome.send('listenPoliciesUpdates')
                }))
                """)
            for (name, value) in [
                ("TranslateEnabled", false), ("BrowserSignin", 0), ("ExtensionInstallBlocklist", ["*"]),
                ("DownloadRestrictions", 3), ("PrintingEnabled", .bool(allowsPrinting)),
                ("PrinterTypeDenyList", ["privet", "extension", "pdf", "cloud"]),
            ] as [(String, JSONValue)] {
                #expect(report[name]?["value"] == value, "\(name): \(report[name] as Any)")
                #expect(report[name]?["level"] == "mandatory")
            }
            guard case .object(let members) = report else {
                Issue.record("\(report)")
                return
            }
            #expect(members.count > 40)
            let faults = members.filter { $0.name != "URLAllowlist" && $0.value["error"] != nil }
            #expect(faults.map { "\($0.name) \($0.value.line)" } == [])
            _ = try browser.end()
        }

        private static let downloads = [
            "location.href = '/attachment'",
            "Object.assign(document.createElement('a'), { href: '/attachment' }).click()",
            "Object.assign(document.createElement('a'), { href: '/taken.txt', download: 'link.txt' }).click()",
            """
            fetch('/taken.txt').then(response => response.blob()).then(blob => {
              Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: 'blob.txt' }).click()
            })
            """,
        ]

        /// The files of a folder that hold what a visitor may not take away.
        private func filesTaken(below folder: String) throws -> [String] {
            let taken = Data(AttackSite.taken.utf8.prefix(100))
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
            return names.filter { name in
                // Sockets and links that lead nowhere are none.
                let data = try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
                return data?.range(of: taken) != nil
            }
        }

        @Test func downloads() throws {
            let site = try AttackSite()
            let screen = try Screen(hasWindowManager: false)
            let home = try site.folder.write("home/.keep", []).removingLastComponent().string
            let arguments = site.folder.path("arguments")
            let running = try RunningKiosk(
                site.path, title: "Attack", in: site.folder,
                browser: screen.browser(
                    in: site.folder, settings: "export HOME='\(home)'; echo \"$*\" > '\(arguments)'")
            ) {
                $0.display = .fullScreen
                $0.browserOptions = []
            }
            let page = running.page
            let command = try String(contentsOfFile: arguments.string, encoding: .utf8)
            let profile = try #require(command.firstMatch(of: #/--user-data-dir=(\S+)/#)).1
            for attempt in Self.downloads { _ = try page.evaluate("\(attempt); 0") }
            // Of the profile, and of the temporary files beside it.
            #expect(try filesTaken(below: FilePath(String(profile)).removingLastComponent().string) == [])
            // Downloads that were started before have had the time of another start.
            let former = running.kiosk.control
            running.kiosk.archiveChanged()
            #expect(waits { running.kiosk.control !== former && running.kiosk.control != nil })
            page.wait(for: "document.title === 'Attack' && document.readyState === 'complete'")
            #expect(try filesTaken(below: home) == [])
            try running.end()
        }
    }
}
