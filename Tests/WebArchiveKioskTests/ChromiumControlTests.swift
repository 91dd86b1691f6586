// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchiveBrowser
import WebArchivePresentation

@testable import WebArchiveKiosk

/// The messages of a browser, and what its controller makes of them.
@Suite struct ChromiumControlTests {
    private let events = Events()
    private let browser: PipedBrowser
    private let control: ChromiumControl

    private final class Events: Sendable {
        private let all = Mutex<[ChromiumControl.Event]>([])
        func add(_ event: ChromiumControl.Event) { all.withLock { $0.append(event) } }
        func count(_ event: ChromiumControl.Event) -> Int { all.withLock { $0.count { $0 == event } } }
    }

    init() throws {
        let descriptors = try DevToolsDescriptors()
        browser = PipedBrowser(commands: descriptors.childEnds[0], events: descriptors.childEnds[1])
        control = ChromiumControl(
            reading: descriptors.reading, writing: descriptors.writing, mainPage: "https://main.example/",
            display: .headless, maximumPrintingDuration: .seconds(3600)
        ) { [events] in events.add($0) }
    }

    private func say(_ message: JSONValue) throws { try browser.say(message.line) }

    /// Has the page's script report, and waits until all that was said before has been taken as well.
    private func report(_ what: String) throws {
        let before = events.count(.used)
        for payload in [what, PageScript.used] {
            try say([
                "method": "Runtime.bindingCalled",
                "params": ["name": .string(PageScript.binding), "payload": .string(payload)], "sessionId": "S",
            ])
        }
        #expect(waits { events.count(.used) == before + (what == PageScript.used ? 2 : 1) })
    }

    /// Answers the questions that the page was asked so far.
    private func answer() throws {
        control.perform("Test.mark", [:]) { _ in }
        for command in try browser.read(through: "Test.mark") where command.contains("\"expression\": \"1\"") {
            let number = command.split(separator: "\"id\": ").last?.prefix { $0.isNumber }
            try browser.say("{\"id\":\(try #require(number)),\"result\":{},\"sessionId\":\"S\"}")
        }
    }

    /// A page that takes the listener for the end of printing away has to answer nevertheless, once it can.
    @Test func printingEndsWithAnAnswer() throws {
        try say([
            "method": "Target.attachedToTarget",
            "params": ["sessionId": "S", "targetInfo": ["type": "page", "targetId": "T"]],
        ])
        try report(PageScript.printing)
        for _ in 1...2 { control.ask() }
        #expect(events.count(.responded) == 2)
        try answer()
        try report(PageScript.used)
        control.ask()
        #expect(events.count(.responded) == 2)
        try answer()
        #expect(waits { events.count(.responded) == 3 })
        control.close()
        try browser.events.close()
        try browser.commands.close()
    }
}
