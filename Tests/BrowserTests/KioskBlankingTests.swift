// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveKiosk

extension BrowserTests {
    @Suite(.serialized) struct KioskBlankingTests {
        /// A clock on the wall that a test sets.
        private final class WallClock: Sendable {
            private let isNight = Mutex(false)
            func set(night: Bool) { isNight.withLock { $0 = night } }

            var now: Date {
                let start = DaySchedule.localCalendar.startOfDay(for: Date(timeIntervalSince1970: 1_800_000_000))
                return start + (isNight.withLock { $0 } ? 23 : 12) * 3600
            }
        }

        /// By night the screen shows nothing of the archive, whatever a visitor does; then it wakes.
        @Test func screenIsBlackAtNight() throws {
            let site = try BrowserSite()
            let clock = WallClock()
            let running = try RunningKiosk(site.path, title: "Harbour", in: site.folder) {
                $0.idle = .seconds(1)
                $0.hasBar = true
                $0.blanking = DaySchedule([.init(from: 22 * 60, to: 7 * 60)])
                $0.now = { clock.now }
            }
            let page = running.page
            clock.set(night: true)
            page.wait(for: "location.protocol === 'data:' && document.readyState === 'complete'")
            let night = try page.evaluate("performance.timeOrigin").number ?? 0
            #expect(try page.text("getComputedStyle(document.documentElement).backgroundColor") == "rgb(0, 0, 0)")
            #expect(try page.text("document.documentElement.innerText.trim()") == "")
            #expect(try page.evaluate("document.querySelector('[popover]')") == .null)
            for type in ["mousePressed", "mouseReleased"] {
                try page.command(
                    "Input.dispatchMouseEvent",
                    ["type": .string(type), "x": .double(9), "y": .double(9), "button": "left", "clickCount": 1])
            }
            // The press is reported before this is answered, and the kiosk would give the next visitor a new browser a second later.
            let control = running.kiosk.control
            _ = try page.evaluate("new Promise(done => setTimeout(done, 2500))")
            #expect(running.kiosk.control === control)
            clock.set(night: false)
            page.wait(for: "document.title === 'Harbour' && performance.timeOrigin > \(night)")
            try running.end()
        }
    }
}
