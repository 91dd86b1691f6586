// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveBrowser

@Suite struct DevToolsPipeTests {
    private func connected(
        _ onEvent: @escaping @Sendable (DevToolsPipe.Event) -> Void = { _ in }
    ) throws -> (pipe: DevToolsPipe, browser: PipedBrowser) {
        let descriptors = try DevToolsDescriptors()
        let pipe = DevToolsPipe(
            reading: descriptors.reading, writing: descriptors.writing,
            ignoring: ["Runtime.consoleAPICalled", "Network."],
            onEvent: onEvent)
        return (pipe, PipedBrowser(commands: descriptors.childEnds[0], events: descriptors.childEnds[1]))
    }

    /// A command that fills a pipe of 64 KiB by itself.
    private static let longCommand = String(repeating: "m", count: 100_000)

    /// The failure of a command, or its success, once it has ended.
    private final class Outcome: Sendable {
        let text = Mutex<String?>(nil)
        var isThere: Bool { text.withLock { $0 != nil } }
        func take(_ result: Result<some Any, DevToolsPipe.Failure>) {
            text.withLock { text in
                switch result {
                case .success: text = "success"
                case .failure(let failure): text = failure.description
                }
            }
        }
    }

    /// A browser may itself wait until its events are read before it reads commands.
    @Test func responsesComeWhileTheBrowserReadsNoCommands() throws {
        let (pipe, browser) = try connected()
        let outcome = Outcome()
        pipe.send("First") { outcome.take($0) }
        let sending = BackgroundThread { for _ in 0..<20 { pipe.send(Self.longCommand) } }
        // Once the first bytes of a command are there, it is being written, and the pipe is too short for the rest.
        var start = [UInt8](repeating: 0, count: 100)
        while start.firstRange(of: "mmm".utf8) == nil {
            _ = try start.withUnsafeMutableBytes { try browser.commands.read(into: $0) }
        }
        try browser.say("{\"id\": 1, \"result\": {}}")
        #expect(waits { outcome.isThere })
        #expect(outcome.text.withLock { $0 } == "success")
        let reading = BackgroundThread { try browser.readAll() }
        try sending.value()
        try browser.events.close()
        _ = try reading.value()
        try browser.commands.close()
    }

    /// A frame may be removed while it is busy. The browser does not respond for it any more.
    @Test func commandsOfASessionThatEndsFail() throws {
        let (pipe, browser) = try connected()
        let outcomes = ["A", "A", "B"].map { session in
            let outcome = Outcome()
            pipe.send("Runtime.evaluate", session: session) { outcome.take($0) }
            return outcome
        }
        try browser.say("{\"method\":\"Target.detachedFromTarget\",\"params\":{\"sessionId\":\"A\"}}")
        try browser.say("{\"id\":3,\"result\":{},\"sessionId\":\"B\"}")
        #expect(waits { outcomes.allSatisfy(\.isThere) })
        #expect(
            outcomes.map { $0.text.withLock { $0 } } == ["the session has ended", "the session has ended", "success"])
        try browser.events.close()
        try browser.commands.close()
    }

    @Test func ignoredEventsArePassedOver() throws {
        let names = Mutex<[String]>([])
        let (_, browser) = try connected { event in names.withLock { $0.append(event.method) } }
        for name in [
            "Runtime.consoleAPICalled", "Network.dataReceived", "Runtime.consoleAPICalledToo",
            "NetworkToo.dataReceived",
            "Page.loadEventFired",
        ] {
            try browser.say("{\"method\":\"\(name)\",\"params\":{}}")
        }
        #expect(waits { names.withLock { $0.contains("Page.loadEventFired") } })
        #expect(
            names.withLock { $0 }
                == ["Runtime.consoleAPICalledToo", "NetworkToo.dataReceived", "Page.loadEventFired"])
        try browser.events.close()
        try browser.commands.close()
    }

    /// A page has the browser send long strings: its URL, and the text of a dialog. All else of the message is there.
    @Test func longStringsAreLeftOut() throws {
        let events = Mutex<[DevToolsPipe.Event]>([])
        let history = Mutex<JSONValue?>(nil)
        let (pipe, browser) = try connected { event in events.withLock { $0.append(event) } }
        pipe.send("Page.getNavigationHistory") { response in history.withLock { $0 = try? response.get() } }
        let url = "https://a.example/#" + String(repeating: "\\\\", count: 2 << 20)
        let text = String(repeating: "\\\"", count: 2 << 20)
        try browser.say(
            """
            {"method":"Page.javascriptDialogOpening","params":{"url":"\(url)","frameId":"F","message":"\\"\\\\","type":"prompt",\
            "hasBrowserHandler":true,"defaultPrompt":"\(text)"},"sessionId":"S"}
            """)
        let entries = (1...3).map { "{\"id\":\($0),\"url\":\"\(url)\",\"title\":\"t\($0)\"}" }
        try browser.say("{\"id\":1,\"result\":{\"currentIndex\":2,\"entries\":[\(entries.joined(separator: ","))]}}")
        #expect(waits { history.withLock { $0 != nil } })
        let wanted = (1...3).map { (number: Int) -> JSONValue in
            ["id": .number(number), "url": "", "title": .string("t\(number)")]
        }
        #expect(history.withLock { $0 } == ["currentIndex": 2, "entries": .array(wanted)])
        let dialog = try #require(events.withLock { $0 }.first)
        #expect(dialog.session == "S")
        #expect(
            dialog.parameters == [
                "url": "", "frameId": "F", "message": "\"\\", "type": "prompt", "hasBrowserHandler": true,
                "defaultPrompt": "",
            ])
        try browser.events.close()
        try browser.commands.close()
    }

    /// A response that is too long even without its strings fails its command at once, and later messages arrive.
    @Test func longMessagesOfOtherValues() throws {
        let names = Mutex<[String]>([])
        let outcomes = [Outcome(), Outcome()]
        let (pipe, browser) = try connected { event in names.withLock { $0.append(event.method) } }
        for outcome in outcomes { pipe.send("Command") { outcome.take($0) } }
        let values = "[" + String(repeating: "0,", count: 3 << 20) + "0]"
        try browser.say("{\"id\":1,\"result\":\(values),\"sessionId\":\"S\"}")
        try browser.say("{\"method\":\"Long\",\"params\":{\"values\":\(values)},\"sessionId\":\"S\"}")
        try browser.say("{\"method\":\"Short\",\"params\":{},\"sessionId\":\"S\"}")
        try browser.say("{\"id\":2,\"result\":{}}")
        #expect(waits { outcomes.allSatisfy(\.isThere) })
        #expect(outcomes[0].text.withLock { $0 } == "the browser's response is longer than 4 MiB")
        #expect(outcomes[1].text.withLock { $0 } == "success")
        #expect(names.withLock { $0 } == ["Short"])
        try browser.events.close()
        try browser.commands.close()
    }

    @Test func eventsComeWhileTheBrowserReadsNoCommands() throws {
        let count = Mutex(0)
        let link = Mutex<DevToolsPipe?>(nil)
        let (pipe, browser) = try connected { _ in
            link.withLock { $0 }?.send(Self.longCommand)
            count.withLock { $0 += 1 }
        }
        link.withLock { $0 = pipe }
        for _ in 0..<20 { try browser.say("{\"method\": \"Page.frameNavigated\"}") }
        #expect(waits { count.withLock { $0 == 20 } })
        let reading = BackgroundThread { try browser.readAll() }
        try browser.events.close()
        _ = try reading.value()
        try browser.commands.close()
    }

    @Test func commandsArriveInTheirOrder() throws {
        let (pipe, browser) = try connected()
        let sending = BackgroundThread {
            for number in 0..<40 { pipe.send("Command\(number)" + String(repeating: "x", count: 10_000)) }
        }
        let wanted = (0..<40).map { "Command\($0)x" }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var all: [UInt8] = []
        while all.count(where: { $0 == 0 }) < 40 {
            let count = try buffer.withUnsafeMutableBytes { try browser.commands.read(into: $0) }
            try #require(count > 0)
            all += buffer[..<count]
        }
        let messages = all.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        try sending.value()
        #expect(messages.count == 40 && zip(messages, wanted).allSatisfy { $0.contains($1) })
        try browser.events.close()
        try browser.commands.close()
    }

    /// The commands that a browser leaves unread are bounded. A browser beyond the bound is taken as hung: no later command is sent to it.
    @Test func aBrowserThatReadsNothingIsTakenAsHung() throws {
        let (pipe, browser) = try connected()
        let outcome = Outcome()
        let sending = BackgroundThread {
            for _ in 0...(OutgoingMessages.maximumLength / Self.longCommand.utf8.count) { pipe.send(Self.longCommand) }
            pipe.send("Last") { outcome.take($0) }
        }
        try sending.value()
        #expect(!outcome.isThere)
        try browser.events.close()
        #expect(waits { outcome.isThere })
        #expect(outcome.text.withLock { $0 } == "the browser has exited")
        let received = try browser.readAll()
        #expect(!received.isEmpty && received.firstRange(of: "Last".utf8) == nil)
        try browser.commands.close()
    }

    @Test func anEndedBrowserFailsEveryCommand() throws {
        let (pipe, browser) = try connected()
        let (before, after) = (Outcome(), Outcome())
        pipe.send("Before") { before.take($0) }
        try browser.commands.close()
        try browser.events.close()
        #expect(waits { before.isThere })
        pipe.send("After") { after.take($0) }
        #expect(after.text.withLock { $0 } == "the browser has exited")
        #expect(before.text.withLock { $0 } == "the browser has exited")
    }
}
