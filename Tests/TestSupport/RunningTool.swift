// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A program that runs while a test communicates with it; ended with the test.
public final class RunningTool: Sendable {
    /// The output that has been read; the thread that reads keeps this alone, so that the program can be ended while it still writes.
    private final class Log: Sendable {
        struct State {
            var text = ""
            var isAtEnd = false
        }

        let state = Mutex(State())
        let changed = NSCondition()
    }

    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    private let log = Log()

    public init(_ arguments: [String], environment: [String: String]? = nil) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        if let environment { process.environment = environment }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let handle = errors.fileHandleForReading
        Thread { [log] in
            while true {
                let data = handle.availableData
                log.state.withLock { state in
                    state.text += String(decoding: data, as: UTF8.self)
                    state.isAtEnd = data.isEmpty
                }
                log.changed.lock()
                log.changed.broadcast()
                log.changed.unlock()
                if data.isEmpty { return }
            }
        }.start()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The bytes that the program has written to standard error.
    public var errorText: String { log.state.withLock { $0.text } }

    /// Waits until standard error has some text; false if it has ended, or ``waitingLimit`` has gone by, without it.
    public func waitForError(_ text: String) -> Bool {
        let end = Date(timeIntervalSinceNow: waitingLimit)
        log.changed.lock()
        defer { log.changed.unlock() }
        while !errorText.contains(text) {
            if log.state.withLock({ $0.isAtEnd }) || !log.changed.wait(until: end) { return errorText.contains(text) }
        }
        return true
    }

    public func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for the end, also of standard error, and gives the status and what was written to standard output.
    public func result() -> (status: Int32, output: String) {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        log.changed.lock()
        let end = Date(timeIntervalSinceNow: waitingLimit)
        while !log.state.withLock({ $0.isAtEnd }), log.changed.wait(until: end) {}
        log.changed.unlock()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
