// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveBrowser
@testable import WebArchiveKiosk

/// The page of a browser that a test queries and controls. Every wait has a generous end, and no fixed length.
struct TestPage: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let limit = Duration.seconds(waitingLimit)

    /// The browser may have been started again since.
    let control: @Sendable () -> ChromiumControl?

    @discardableResult
    func command(_ method: String, _ parameters: JSONValue = [:]) throws -> JSONValue {
        guard let control = control() else { throw Failure(description: "there is no browser") }
        let box = AnswerBox()
        control.perform(method, parameters) { response in
            box.response.withLock { $0 = response }
            box.isThere.signal()
        }
        guard box.isThere.wait(timeout: .now() + waitingLimit) == .success else {
            throw Failure(description: "no response to \(method)")
        }
        return try box.response.withLock { $0 }!.get()
    }

    /// The value of an expression, or of the promise that it gives.
    func evaluate(_ expression: String) throws -> JSONValue {
        let response = try command(
            "Runtime.evaluate",
            [
                "expression": .string(expression), "awaitPromise": true, "returnByValue": true, "userGesture": true,
            ])
        if let exception = response["exceptionDetails"] {
            throw Failure(description: "\(exception["exception"]?["description"] ?? exception)")
        }
        return response["result"]?["value"] ?? .null
    }

    func text(_ expression: String) throws -> String? { try evaluate(expression).text }

    /// Waits until a condition of the page holds, which may be another page by then.
    func wait(for condition: String, sourceLocation: SourceLocation = #_sourceLocation) {
        // The page gives the pace.
        let script = "new Promise(done => setTimeout(done, 20)).then(() => !!(\(condition)))"
        wait(condition, sourceLocation: sourceLocation) { try evaluate(script).isTrue }
    }

    /// Waits until a test's own condition holds. What it throws passes, between two pages and between two browsers.
    func wait(
        _ what: String, sourceLocation: SourceLocation = #_sourceLocation, until condition: () throws -> Bool
    ) {
        let end = ContinuousClock.now + Self.limit
        var last = "it was false"
        while ContinuousClock.now < end {
            do {
                if try condition() { return }
                last = "it was false"
            } catch {
                last = "\(error)"
                sched_yield()
            }
        }
        Issue.record("never: \(what); last: \(last)", sourceLocation: sourceLocation)
    }

    /// Clicks where an element is, as a visitor would: in the middle, or at another part of its height.
    func click(_ selector: String, at height: Double = 0.5) throws {
        let place = try evaluate(
            "(() => { const box = document.querySelector('\(selector)').getBoundingClientRect();"
                + " return [box.x + box.width / 2, box.y + box.height * \(height)] })()")
        guard case .array(let items) = place, items.count == 2 else { throw Failure(description: "no \(selector)") }
        for type in ["mouseMoved", "mousePressed", "mouseReleased"] {
            try command(
                "Input.dispatchMouseEvent",
                ["type": .string(type), "x": items[0], "y": items[1], "button": "left", "clickCount": 1])
        }
    }

    /// Keeps a picture of the page with the results of the test.
    func keepScreenshot(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let response = try command("Page.captureScreenshot", ["format": "png"])
        let bytes = try #require(Data(base64Encoded: response["data"]?.text ?? ""), sourceLocation: sourceLocation)
        #expect(bytes.count > 2000, "an empty picture", sourceLocation: sourceLocation)
        Attachment.record(Array(bytes), named: "\(name).png", sourceLocation: sourceLocation)
    }
}

/// A response that another thread stores.
private final class AnswerBox: Sendable {
    let response = Mutex<Result<JSONValue, DevToolsPipe.Failure>?>(nil)
    let isThere = DispatchSemaphore(value: 0)
}
