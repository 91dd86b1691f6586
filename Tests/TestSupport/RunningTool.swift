// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A program that goes on while a test talks to it; ended with the test.
public final class RunningTool: Sendable {
    private struct State {
        var text = ""
        var isAtEnd = false
    }

    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    private let state = Mutex(State())
    private let changed = NSCondition()

    public init(_ arguments: [String], environment: [String: String]? = nil) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        if let environment { process.environment = environment }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let handle = errors.fileHandleForReading
        Thread { [self] in
            while true {
                let data = handle.availableData
                state.withLock { state in
                    state.text += String(decoding: data, as: UTF8.self)
                    state.isAtEnd = data.isEmpty
                }
                changed.lock()
                changed.broadcast()
                changed.unlock()
                if data.isEmpty { return }
            }
        }.start()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// What it has written to standard error.
    public var errorText: String { state.withLock { $0.text } }

    /// Waits until standard error has some text; false if it has ended, or a minute has gone by, without it.
    public func waitForError(_ text: String) -> Bool {
        let end = Date(timeIntervalSinceNow: 60)
        changed.lock()
        defer { changed.unlock() }
        while !errorText.contains(text) {
            if state.withLock({ $0.isAtEnd }) || !changed.wait(until: end) { return errorText.contains(text) }
        }
        return true
    }

    public func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for the end, also of standard error, and gives the status and what was written to standard output.
    public func result() -> (status: Int32, output: String) {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        changed.lock()
        let end = Date(timeIntervalSinceNow: 60)
        while !state.withLock({ $0.isAtEnd }), changed.wait(until: end) {}
        changed.unlock()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
