// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive
import WebArchiveCrawling
import WebArchiveRecording
import WebArchiveServer

@testable import WebArchiveBrowser
@testable import WebArchiveKiosk

extension BrowserTests {
    /// Crawls and proofs of a page whose requests depend on the time and on chance.
    @Suite(.serialized) struct FixedConditionsTests {
        private static let names = ["date", "performance", "frame", "temporal", "random", "values", "uuid"]

        /// Each request is missed, or each one is found: with the clock and the seed that the crawl stored, without any option of the proof.
        @Test(arguments: [false, true]) func aCrawlStoresItsConditions(isFixed: Bool) async throws {
            let folder = try TemporaryFolder()
            let origin = try HTTPTestServer()
            origin["/"] = .html(
                """
                <!doctype html><title>Chance</title><link rel=icon href=data:,><p>Text</p><script>
                const ask = (name, value) => fetch(`/${name}/x${value}x`)
                ask('date', Date.now())
                ask('performance', performance.now() + performance.timeOrigin)
                ask('temporal', globalThis.Temporal ? Temporal.Now.plainDateTimeISO('UTC') : new Date().toISOString())
                ask('random', Math.random())
                ask('values', crypto.getRandomValues(new Uint16Array(8)).join('-'))
                // Browsers define it for secure contexts, to which addresses of this machine belong.
                ask('uuid', crypto.randomUUID())
                requestAnimationFrame(time => ask('frame', time))
                </script>
                """)
            origin.onOther { _ in .text("found") }
            let path = folder.path("site.webarc")
            var options = CrawlOptions(scope: CrawlScope(seeds: [try CanonicalURL(origin.url().absoluteString)]))
            options.proxy.allowsPrivateTargets = true
            options.usesSitemaps = false
            if isFixed { options.conditions = PageConditions(clock: ArchiveTime(seconds: 1_600_000_000), seed: 7) }
            let crawl = try await Crawl(
                path, options: options, browser: InstalledBrowser.find(), logger: BrowserTests.logger)
            _ = try await crawl.run()
            func requested(_ name: String) -> String? { origin.requestLines.first { $0.hasPrefix("GET /\(name)/") } }
            for name in Self.names { #expect(requested(name) != nil, "\(name)") }
            let date = requested("date") ?? ""
            #expect(date.contains("x16000000000") == isFixed, "\(date)")

            let archive = try ArchiveReader(path: path)
            let prover = ArchiveProver(
                path, archive, options: ArchiveProver.Options(), logger: BrowserTests.logger)
            let report = try await prover.run(ProvenPages(of: archive))
            let missed = report.faults(.missed).map { $0.request.identity.url }
            for name in Self.names {
                let isMissed = missed.contains { $0.contains("/\(name)/") }
                #expect(isMissed != isFixed, "\(name)")
            }
            #expect(report.isComplete == isFixed)
        }

        /// A loop that waits for the clock, and an animation of half a second, come to their ends.
        @Test func aFixedClockMoves() async throws {
            let origin = try HTTPTestServer()
            origin["http://clock.test/"] = .html(
                """
                <!doctype html><title>Clock</title><link rel=icon href=data:,><p id=text></p><script>
                const first = performance.now(), begun = Date.now()
                while (performance.now() < first + 50);
                const step = time => {
                  if (time - first < 500) requestAnimationFrame(step)
                  else text.textContent = Date.now() - begun >= 500 ? 'ended' : 'slow'
                }
                requestAnimationFrame(step)
                </script>
                """)
            let authority = try DeviceAuthority(hosts: [], device: "test", now: Date())
            let browser = try VisitBrowser(
                InstalledBrowser.find(), proxy: origin.port, authority: TrustedAuthority(authority))
            var options = VisitOptions()
            options.prelude = PageConditions(clock: ArchiveTime(seconds: 1_600_000_000)).script
            options.script = "new Promise(done => setInterval(() => text.textContent && done(), 10))"
            let visit = try await browser.openTab().visit("http://clock.test/", options: options)
            #expect(visit.text == "ended")
            await browser.close()
        }
    }
}
