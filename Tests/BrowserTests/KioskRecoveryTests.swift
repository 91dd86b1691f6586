// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveBrowser

@testable import WebArchiveKiosk

extension BrowserTests {
    /// Pages that would keep the screen for themselves.
    @Suite(.serialized) struct KioskRecoveryTests {
        private func run(change: (inout Kiosk.Options) -> Void) throws -> RunningKiosk {
            let site = try AttackSite()
            return try RunningKiosk(site.path, title: "Attack", in: site.folder) {
                $0.browserOptions = []
                change(&$0)
            }
        }

        private func expectNewBrowser(_ running: RunningKiosk, _ warning: String?, after: () throws -> Void) throws {
            let former = running.kiosk.control
            try after()
            #expect(waits { running.kiosk.control !== former && running.kiosk.control != nil })
            running.page.wait(for: "document.title === 'Attack' && document.readyState === 'complete'")
            if let warning {
                #expect(running.warnings.all.contains { $0.contains(warning) }, "\(running.warnings.all)")
            }
            try running.end()
        }

        @Test func anEndlessLoop() throws {
            let running = try run { $0.patience = .seconds(2) }
            try expectNewBrowser(running, "does not respond") {
                _ = try running.page.evaluate("setTimeout(() => { for (;;); }); 0")
            }
        }

        /// The page itself answers.
        @Test func anEndlessLoopInAFrame() throws {
            let running = try run { $0.patience = .seconds(2) }
            try expectNewBrowser(running, "does not respond") {
                _ = try running.page.evaluate("frame('\(AttackSite.other)/store.html?loop')")
            }
        }

        /// Below the dialog for printing no script runs, and a page may say that it prints.
        @Test func anEndlessLoopThatSaysItPrints() throws {
            let running = try run { $0.patience = .seconds(2) }
            try expectNewBrowser(running, "does not respond") {
                _ = try running.page.evaluate(
                    "setTimeout(() => { dispatchEvent(new Event('beforeprint')); for (;;); }); 0")
            }
        }

        /// Files that a page stores count as well, for the profile may lie in memory.
        @Test(.enabled(if: isLinux)) func storedFiles() throws {
            let running = try run { $0.memoryLimit = 900 << 20 }
            try expectNewBrowser(running, "stored data") {
                _ = try running.page.evaluate(
                    """
                    setTimeout(async () => {
                      const cache = await caches.open('x')
                      for (let n = 0; n < 40; n++) {
                        const bytes = new Uint8Array(40 << 20)
                        for (let at = 0; at < bytes.length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536))
                        await cache.put('/' + n, new Response(bytes))
                      }
                    }); 0
                    """)
            }
        }

        @Test(.enabled(if: isLinux)) func memory() throws {
            let running = try run { $0.memoryLimit = 600 << 20 }
            try expectNewBrowser(running, "memory") {
                // The browser may be ended before it could answer.
                let hog = "for (let n = 0; n < 20; n++) hog.push(new Uint8Array(50 << 20).fill(1))"
                _ = try running.page.evaluate("window.hog = []; setTimeout(() => { \(hog) }); 0")
            }
        }

        /// A dialog below which no script runs, in the viewer of documents.
        @Test(.enabled(if: isLinux)) func printingADocument() throws {
            let screen = try Screen(hasWindowManager: true)
            let site = try AttackSite()
            let running = try RunningKiosk(
                site.path, title: "Attack", in: site.folder, browser: screen.browser(in: site.folder)
            ) {
                $0.browserOptions = []
                $0.display = .fullScreen
                $0.allowsPrinting = true
                $0.idle = .seconds(4)
            }
            try expectNewBrowser(running, nil) {
                _ = try? running.page.evaluate("location = '/document.pdf'")
                running.page.wait(for: "document.contentType === 'application/pdf'")
                // The viewer's button.
                try screen.click(956, 28)
            }
        }
    }
}
