// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveBrowser
@testable import WebArchiveKiosk

extension BrowserTests {
    /// Addresses for which another program is installed.
    @Suite(.serialized, .enabled(if: isLinux)) struct KioskProgramsTests {
        private static let schemes = ["mailto:a@site.example", "tel:123", "webcal://site.example/x", "x-probe:1"]

        /// A browser on a screen, beside whose programs there is one for the schemes.
        private func browser(_ folder: TemporaryFolder, _ screen: Screen) throws -> InstalledBrowser {
            let probe = try folder.write("probe", Array("#!/bin/sh\necho \"$@\" >> '\(folder.path("opened"))'\n".utf8))
            #expect(chmod(probe.string, 0o755) == 0)
            let types = Self.schemes.map { "x-scheme-handler/\($0.prefix { $0 != ":" })" }
            try folder.write(
                "data/applications/probe.desktop",
                Array(
                    "[Desktop Entry]\nType=Application\nName=Probe\nExec=\(probe) %u\nMimeType=\(types.joined(separator: ";"));\n"
                        .utf8))
            let associations = "[Default Applications]\n" + types.map { "\($0)=probe.desktop\n" }.joined()
            try folder.write("data/applications/mimeapps.list", Array(associations.utf8))
            try folder.write("config/mimeapps.list", Array(associations.utf8))
            // The variables are the test's unless the kiosk sets its own.
            return try screen.browser(
                in: folder,
                settings: """
                    case "$XDG_DATA_HOME" in */webarc/*) ;; *)
                        export XDG_DATA_HOME='\(folder.path("data"))' XDG_CONFIG_HOME='\(folder.path("config"))' ;;
                    esac
                    """)
        }

        /// The ways in which a page may use an address.
        private static let tries = [
            "location.href = address",
            "(frame => { frame.src = address; document.body.append(frame) })(document.createElement('iframe'))",
            "document.body.appendChild(document.createElement('iframe')).contentWindow.location.href = address",
            "(form => { form.action = address; form.submit() })(document.body.appendChild(document.createElement('form')))",
            "Object.assign(document.createElement('a'), { href: address }).click()",
            "window.open(address)",
        ]

        /// Each measure refuses them alone; without any the program is started.
        @Test(arguments: [LockdownMeasures.policies, .environment, .pageScript, []]) func eachMeasure(
            _ measures: LockdownMeasures
        ) throws {
            let site = try AttackSite()
            let screen = try Screen(hasWindowManager: false)
            let running = try RunningKiosk(
                site.path, title: "Attack", in: site.folder, browser: browser(site.folder, screen)
            ) {
                $0.display = .fullScreen
                $0.measures = measures
            }
            let opened = site.folder.path("opened").string
            for (address, attempt) in Self.tries.map({ (Self.schemes[0], $0) })
                + Self.schemes.dropFirst().map({ ($0, Self.tries[0]) })
            {
                // The page may be gone before it can answer.
                _ = try? running.page.evaluate("(address => { \(attempt) })('\(address)')")
                _ = try? running.page.evaluate("new Promise(done => setTimeout(done, 300))")
                try running.page.command("Page.navigate", ["url": .string("\(AttackSite.origin)/")])
                running.page.wait(for: "document.title === 'Attack' && document.readyState === 'complete'")
            }
            // Programs that were started before have had the time of another start.
            let former = running.kiosk.control
            running.kiosk.archiveChanged()
            #expect(waits { running.kiosk.control !== former })
            running.page.wait(for: "document.title === 'Attack'")
            if measures.isEmpty {
                #expect(waits { FileManager.default.fileExists(atPath: opened) }, "the test's program is found")
            } else {
                let text = try? String(contentsOfFile: opened, encoding: .utf8)
                #expect(text == nil, "\(text ?? "")")
            }
            // The kiosk reports policies that are not in force to its operator.
            let isTold = running.warnings.all.contains { $0.contains("permit user namespaces") }
            #expect(isTold == !measures.contains(.policies), "\(running.warnings.all)")
            try running.end()
        }

        /// The requests that only the browser's own policies refuse.
        @Test func policies() throws {
            let site = try AttackSite()
            let running = try RunningKiosk(site.path, title: "Attack", in: site.folder) { $0.measures = .policies }
            for address in [
                "file:///etc/passwd", "chrome://version", "chrome://settings", "chrome://policy",
                "devtools://devtools/bundled/inspector.html", "chrome-untrusted://terminal/", "mailto:a@site.example",
            ] {
                let response = try? running.page.command("Page.navigate", ["url": .string(address)])
                #expect(
                    response?["errorText"]?.text == "net::ERR_BLOCKED_BY_ADMINISTRATOR",
                    "\(address): \(response as Any)")
                try running.page.command("Page.navigate", ["url": .string("\(AttackSite.origin)/")])
                running.page.wait(for: "document.title === 'Attack' && document.readyState === 'complete'")
            }
            // Last, for the page stays a source after it.
            let source = try running.page.command(
                "Page.navigate", ["url": .string("view-source:\(AttackSite.origin)/")])
            #expect(source["errorText"] == "net::ERR_BLOCKED_BY_ADMINISTRATOR")
            let former = running.kiosk.control
            running.kiosk.archiveChanged()
            #expect(waits { running.kiosk.control !== former && running.kiosk.control != nil })
            running.page.wait(for: "document.title === 'Attack' && document.readyState === 'complete'")
            let states = try running.page.evaluate(
                """
                Promise.all(['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read'].map(
                  name => navigator.permissions.query({ name }).then(status => status.state)))
                """)
            #expect(states.items.allSatisfy { $0 == "denied" }, "\(states)")
            try running.end()
        }
    }
}
