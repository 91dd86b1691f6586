// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
package import SystemPackage
package import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A client of Chromium's DevTools protocol over two pipes, which are descriptors 3 and 4 of the browser: no port is opened, so that
/// no other process can connect. Messages are JSON, each followed by a NUL.
package final class DevToolsPipe: Sendable {
    /// An event of the browser.
    package struct Event: Sendable {
        /// The event's name with its domain: `Page.frameNavigated`.
        package let method: String
        /// The parameters; null without any.
        package let parameters: JSONValue
        /// The target of the event; nil for the browser itself.
        package let session: String?
    }

    /// The error response of the browser to a command.
    package struct Failure: Error, CustomStringConvertible {
        /// The browser's own message, in English.
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// A function that takes the result of a command, or its failure.
    package typealias Response = @Sendable (Result<JSONValue, Failure>) -> Void

    private struct State {
        var isOpen = true
        var lastNumber = 0
        var waiting: [Int: (session: String?, response: Response)] = [:]
    }

    private let input: FileDescriptor
    private let output: OutgoingMessages
    private let state = Mutex(State())
    /// The first bytes of the messages of ignored events.
    private let ignored: [[UInt8]]

    /// Takes ownership of the descriptors, and closes them when the browser has closed its own.
    ///
    /// - Parameters:
    ///   - ignored: the names of events that are passed over by their first bytes, before they cost more than that; none by default. One that
    ///     ends with a period stands for all events of a domain.
    ///   - onEvent: a function that is called for each other event, in their order, on one thread.
    package init(
        reading input: FileDescriptor, writing output: FileDescriptor, ignoring ignored: [String] = [],
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.ignored = ignored.map { Array("{\"method\":\"\($0)\($0.hasSuffix(".") ? "" : "\"")".utf8) }
        self.input = input
        self.output = OutgoingMessages(writing: output)
        // A browser that dies while it is written to.
        signal(SIGPIPE, SIG_IGN)
        let thread = Thread { [self] in receive(onEvent) }
        thread.name = "webarc.devtools"
        thread.start()
    }

    /// Sends a command. The response arrives on the thread of the events; on a closed pipe every command fails.
    ///
    /// It does not block. While a browser reads nothing, up to 16 MiB of commands wait for it. The first command beyond marks it as hung;
    /// it gets no more, and these commands fail when it has ended.
    ///
    /// - Parameters:
    ///   - method: the command's name, with that of its domain.
    ///   - parameters: an object; empty by default.
    ///   - session: the session of the target; nil, as by default, for the browser itself.
    ///   - response: a function that is called once, with the result or the failure, such as the end of the session; nil where neither matters.
    package func send(
        _ method: String, _ parameters: JSONValue = [:], session: String? = nil, response: Response? = nil
    ) {
        let isOpen = state.withLock { state in
            guard state.isOpen else { return false }
            state.lastNumber += 1
            if let response { state.waiting[state.lastNumber] = (session, response) }
            var message: [String: JSONValue] = [
                "id": .number(state.lastNumber), "method": .string(method), "params": parameters,
            ]
            if let session { message["sessionId"] = .string(session) }
            // Under the lock, so that commands are sent in the order of their numbers. Commands that cannot be written fail at the end of the
            // responses.
            output.add(Array(JSONValue.object(sorting: message).line.utf8) + [0])
            return true
        }
        if !isOpen { response?(.failure(Failure(description: "the browser has exited"))) }
    }

    /// Reads until the browser closes its end.
    private func receive(_ onEvent: @Sendable (Event) -> Void) {
        var incoming = IncomingMessages()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while let count = try? buffer.withUnsafeMutableBytes({ try input.read(into: $0) }), count > 0 {
            for message in incoming.add(buffer[..<count]) {
                switch message {
                case .whole(let bytes): take(bytes, onEvent)
                case .beginning(let bytes): refuse(bytes)
                }
            }
        }
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.isOpen = false
            return state.waiting.values
        }
        output.end()
        try? input.close()
        for (_, response) in waiting { response(.failure(Failure(description: "the browser has exited"))) }
    }

    /// Handles one message: a response to a command, or an event. Other messages are ignored.
    private func take(_ bytes: [UInt8], _ onEvent: @Sendable (Event) -> Void) {
        guard !ignored.contains(where: bytes.starts(with:)),
            let message = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        else { return }
        if let number = message["id"]?.number {
            let response = waiting(for: Int(number))
            if let error = message["error"] {
                response?(.failure(Failure(description: error["message"]?.text ?? "the command failed")))
            } else {
                response?(.success(message["result"] ?? .null))
            }
        } else if let method = message["method"]?.text {
            if method == "Target.detachedFromTarget", let session = message["params"]?["sessionId"]?.text {
                end(session)
            }
            onEvent(
                Event(method: method, parameters: message["params"] ?? .null, session: message["sessionId"]?.text))
        }
    }

    /// Fails the command whose response is too long. Events that are too long are passed over.
    private func refuse(_ beginning: [UInt8]) {
        let prefix = Array("{\"id\":".utf8)
        guard beginning.starts(with: prefix),
            let number = Int(
                String(decoding: beginning.dropFirst(prefix.count).prefix { $0 != UInt8(ascii: ",") }, as: UTF8.self))
        else { return }
        let limit = IncomingMessages.maximumLength >> 20
        waiting(for: number)?(.failure(Failure(description: "the browser's response is longer than \(limit) MiB")))
    }

    /// Fails the commands of a session that has ended: the browser does not respond to them.
    private func end(_ session: String) {
        let numbers = state.withLock { state in state.waiting.filter { $0.value.session == session }.keys.sorted() }
        for number in numbers { waiting(for: number)?(.failure(Failure(description: "the session has ended"))) }
    }

    private func waiting(for number: Int) -> Response? {
        state.withLock { $0.waiting.removeValue(forKey: number)?.response }
    }
}
