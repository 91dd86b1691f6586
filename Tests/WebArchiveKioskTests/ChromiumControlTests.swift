// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveBrowser

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
            try answer(command, [:])
        }
    }

    private func answer(_ command: String?, _ result: JSONValue) throws {
        let number = command?.split(separator: "\"id\": ").last?.prefix { $0.isNumber }
        try browser.say("{\"id\":\(try #require(number)),\"result\":\(result.line),\"sessionId\":\"S\"}")
    }

    /// Answers the next command with a text in it.
    private func answerNext(_ text: String, _ result: JSONValue) throws {
        try answer(browser.read(through: text).last, result)
    }

    private func begin() throws {
        try say([
            "method": "Target.attachedToTarget",
            "params": ["sessionId": "S", "targetInfo": ["type": "page", "targetId": "T"]],
        ])
    }

    private func show(document loader: String) throws {
        let frame: JSONValue = ["id": "T", "loaderId": .string(loader)]
        try say(["method": "Page.frameNavigated", "params": ["frame": frame], "sessionId": "S"])
    }

    private func navigateWithin(frame: String, type: String = "fragment") throws {
        let parameters: JSONValue = ["frameId": .string(frame), "navigationType": .string(type)]
        try say(["method": "Page.navigatedWithinDocument", "params": parameters, "sessionId": "S"])
    }

    /// Has a visitor press a button of the bar.
    private func press(_ button: String) throws {
        try say([
            "method": "Runtime.bindingCalled",
            "params": ["name": .string(PageScript.binding), "payload": .string(BarScript.prefix + button)],
            "sessionId": "S",
        ])
    }

    private func end() throws {
        control.close()
        try browser.events.close()
        try browser.commands.close()
    }

    /// A page may load itself anew meanwhile, and the browser may report the document before it responds.
    @Test(arguments: [true, false]) func theWayHome(isReportedFirst: Bool) throws {
        try begin()
        try press("home")
        // A worker could give any page under the URL, and the page that is left may register it meanwhile.
        let commands = try browser.read(through: "service_workers")
        #expect(commands.contains { $0.contains("Network.setBypassServiceWorker") && $0.contains("\"bypass\": true") })
        // The main page may register its own as soon as it is there. A browser that does not respond does not keep a visitor.
        #expect(commands.last?.contains("\"origin\": \"https://main.example\"") == true)
        #expect(!commands.contains { $0.contains("Page.navigate\"") && $0.contains("https://main.example/") })
        if isReportedFirst { try answer(commands.last, [:]) }
        let command = try browser.read(through: "https://main.example/").last
        #expect(waits { events.count(.leaving) == 1 })
        if isReportedFirst { try show(document: "main") }
        try report(PageScript.used)
        #expect(events.count(.arrived) == 0)
        if !isReportedFirst { try show(document: "another") }
        try answer(command, ["frameId": "T", "loaderId": "main"])
        if !isReportedFirst {
            try report(PageScript.used)
            #expect(events.count(.arrived) == 0)
            try show(document: "main")
        }
        #expect(waits { events.count(.arrived) == 1 })
        let ends = try browser.read(through: "Network.disable")
        #expect(ends.contains { $0.contains("\"bypass\": false") })
        #expect(!ends.contains { $0.contains("service_workers") })
        try end()
    }

    /// A navigation within a document has no loader. The document may have the URL by its own doing.
    @Test func theWayHomeWithinADocument() throws {
        try begin()
        try show(document: "another")
        try press("home")
        try answerNext("https://main.example/", ["frameId": "T"])
        _ = try browser.read(through: "Page.reload")
        #expect(events.count(.arrived) == 0)
        try show(document: "main")
        #expect(waits { events.count(.arrived) == 1 })
        try press("home")
        try answerNext("https://main.example/", ["frameId": "T"])
        #expect(waits { events.count(.arrived) == 2 })
        try end()
    }

    /// The ways in which a page may come after Back, and one in which it does not.
    enum Navigation: CaseIterable { case toADocument, within, ofAFrame, byThePage }

    @Test(arguments: Navigation.allCases) func theWayBack(by navigation: Navigation) throws {
        func history(_ current: Int) -> JSONValue {
            [
                "currentIndex": .number(current),
                "entries": [["id": 4, "url": "a"], ["id": 7, "url": "b"]],
            ]
        }
        try begin()
        // There is nothing before the first page, and no one waits for it.
        try press("back")
        try answerNext("Page.getNavigationHistory", history(0))
        try press("back")
        try answerNext("Page.getNavigationHistory", history(1))
        #expect(try browser.read(through: "Page.navigateToHistoryEntry").last?.contains("\"entryId\": 4") == true)
        // The same entry, with whichever document.
        try show(document: "another")
        try answerNext("Page.getNavigationHistory", history(1))
        try report(PageScript.used)
        try #require([events.count(.leaving), events.count(.arrived)] == [1, 0])
        switch navigation {
        case .ofAFrame: try navigateWithin(frame: "U")
        case .within: try navigateWithin(frame: "T")
        // A page that is kept adds an entry of its own.
        case .byThePage: try navigateWithin(frame: "T", type: "historyApi")
        case .toADocument: try show(document: "before")
        }
        if [.ofAFrame, .byThePage].contains(navigation) {
            try report(PageScript.used)
            control.perform("Test.mark", [:]) { _ in }
            #expect(try !browser.read(through: "Test.mark").contains { $0.contains("Page.getNavigationHistory") })
        } else {
            try answerNext("Page.getNavigationHistory", history(0))
            #expect(waits { events.count(.arrived) == 1 })
        }
        try end()
    }

    /// Chrome DevTools Protocol, DOM.describeNode: a node has its shadow roots, those that no script sees as well.
    @Test func closedRootsAreGuarded() throws {
        try begin()
        for world in [7, 8, 9] {
            try say([
                "method": "Runtime.bindingCalled", "sessionId": "S",
                "params": [
                    "name": .string(PageScript.binding), "payload": .string(PageScript.hiding),
                    "executionContextId": .number(world),
                ],
            ])
        }
        try report(PageScript.used)
        // Of those that came meanwhile, the last.
        for world in [7, 9] {
            let command = try browser.read(through: FieldMessages.focused).last
            #expect(command?.contains("\"contextId\": \(world)") == true)
            try answer(command, ["result": ["objectId": "host"]])
            try answerNext(
                "DOM.describeNode",
                [
                    "node": [
                        "shadowRoots": [
                            ["shadowRootType": "user-agent", "backendNodeId": 3],
                            ["shadowRootType": "closed", "backendNodeId": 5],
                        ]
                    ]
                ])
            let resolution = try browser.read(through: "DOM.resolveNode").last
            #expect(resolution?.contains("\"backendNodeId\": 5") == true)
            try answer(resolution, ["object": ["objectId": "root"]])
            let call = try browser.read(through: "Runtime.callFunctionOn").last
            #expect(call?.contains("\"objectId\": \"root\"") == true)
            try answer(call, ["result": ["type": "object", "subtype": "null"]])
            _ = try browser.read(through: "Runtime.releaseObjectGroup")
        }
        #expect(events.count(.used) == 2)
        try end()
    }

    /// A page may have more roots in each other than are looked into. It is left.
    @Test func aFocusInTooManyRoots() throws {
        try begin()
        let context: JSONValue = [
            "name": .string(PageScript.world), "uniqueId": "W", "auxData": ["frameId": "T"],
        ]
        try say(["method": "Runtime.executionContextCreated", "params": ["context": context], "sessionId": "S"])
        try show(document: "another")
        try say([
            "method": "Runtime.bindingCalled", "sessionId": "S",
            "params": [
                "name": .string(PageScript.binding), "payload": .string(PageScript.hiding), "executionContextId": 7,
            ],
        ])
        try answerNext(FieldMessages.focused, ["result": ["objectId": "host"]])
        var depth = 0
        while events.count(.leftPage) == 0, depth < 100 {
            try answerNext(
                "DOM.describeNode", ["node": ["shadowRoots": [["shadowRootType": "closed", "backendNodeId": 5]]]])
            try answerNext("DOM.resolveNode", ["object": ["objectId": "root"]])
            try answerNext("Runtime.callFunctionOn", ["result": ["objectId": "inner"]])
            try report(PageScript.used)
            depth += 1
        }
        #expect((8..<100).contains(depth))
        _ = try browser.read(through: "https://main.example/")
        try end()
    }

    /// Chrome DevTools Protocol, Target.targetInfoChanged: a sheet for printing begins without a URL.
    @Test func sheetsThatOpenAgain() throws {
        for number in 1...3 {
            #expect(events.count(.printsEndlessly) == 0)
            for url in ["", "chrome://print/", "chrome://print/"] {
                let target: JSONValue = ["targetId": .string("\(number)"), "type": "other", "url": .string(url)]
                try say(["method": "Target.targetInfoChanged", "params": ["targetInfo": target]])
            }
            try report(PageScript.used)
            try say(["method": "Target.targetDestroyed", "params": ["targetId": .string("\(number)")]])
        }
        #expect(waits { events.count(.printsEndlessly) == 1 })
        try end()
    }

    /// A page that takes the listener for the end of printing away has to answer nevertheless, once it can.
    @Test func printingEndsWithAnAnswer() throws {
        try begin()
        try report(PageScript.printing)
        for _ in 1...2 { control.ask() }
        #expect(events.count(.responded) == 2)
        try answer()
        try report(PageScript.used)
        control.ask()
        #expect(events.count(.responded) == 2)
        try answer()
        #expect(waits { events.count(.responded) == 3 })
        try end()
    }
}
