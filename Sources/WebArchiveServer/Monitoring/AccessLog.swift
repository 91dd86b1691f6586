// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
public import SystemPackage
import WebArchive

/// A log that writes a line for each request in the Combined Log Format of Apache and nginx.
///
/// Lines are gathered for a tenth of a second and written by a thread of its own, so that no request waits for a slow disk or terminal.
/// If more than 4 MiB wait to be written, further lines are left out, and their number is logged. Bytes that would end a field or control a
/// terminal are written in hexadecimal. Errors of writing are ignored.
public final class AccessLog: Sendable {
    /// The lines that wait, which one lock protects.
    private struct State {
        /// The bytes of the lines.
        var lines: [UInt8] = []
        /// The number of lines that were left out since the last write.
        var lost = 0
        /// Whether a write is scheduled, so that no two are.
        var isScheduled = false
    }

    /// The descriptor, which the caller owns.
    private let descriptor: FileDescriptor
    private let state = Mutex(State())
    /// The queue of all writes, which keeps their order.
    private let queue = DispatchQueue(label: "webarc.access-log", qos: .utility)

    /// The maximum number of bytes that wait to be written.
    private static let capacity = 4 << 20
    /// The time for which lines are collected.
    private static let delay = DispatchTimeInterval.milliseconds(100)

    /// Creates a log that writes to a descriptor, which the caller keeps open for the lifetime of the log, and closes.
    ///
    /// - Parameter descriptor: a file, opened for appending where others write to it too, or a terminal.
    public init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    /// Appends a line, without its end.
    ///
    /// It never blocks for the descriptor. A line that would come after 4 MiB is only counted.
    func write(_ line: String) {
        let isFirst = state.withLock { state in
            guard state.lines.count < Self.capacity else {
                state.lost += 1
                return false
            }
            state.lines.append(contentsOf: line.utf8)
            state.lines.append(UInt8(ascii: "\n"))
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { queue.asyncAfter(deadline: .now() + Self.delay) { self.writeOut() } }
    }

    /// Writes collected lines, and blocks until they are written. ``ReplayServer`` calls it when it stops.
    ///
    /// - Parameter limit: the maximum time: a pipe whose reader takes nothing blocks for ever.
    public func flush(within limit: Duration = .seconds(10)) {
        let end = DispatchSemaphore(value: 0)
        queue.async {
            self.writeOut()
            end.signal()
        }
        _ = end.wait(timeout: .now() + .nanoseconds(Int(clamping: limit.nanoseconds)))
    }

    /// Writes the lines so far, and a line with the number of those that were lost. Called on the queue only.
    private func writeOut() {
        let (lines, lost) = state.withLock { state in
            defer { state = State() }
            return (state.lines, state.lost)
        }
        _ = try? descriptor.writeAll(lines)
        if lost > 0 { _ = try? descriptor.writeAll(Array("# \(lost) lines lost\n".utf8)) }
    }
}
