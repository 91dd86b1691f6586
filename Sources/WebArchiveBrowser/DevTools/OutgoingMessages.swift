// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The messages to a browser, which a queue writes in order, so that no caller waits for a browser that does not read.
///
/// A browser that leaves more than ``maximumLength`` unread hangs: it gets no more messages, and so does not respond.
final class OutgoingMessages: Sendable {
    private struct State {
        /// The number of unwritten bytes.
        var waiting = 0
        var isHanging = false
        var hasEnded = false
    }

    /// The maximum number of pending bytes. The longest messages are scripts of some ten thousand bytes.
    static let maximumLength = 16 << 20
    /// The interval between checks for the end while the pipe is full, in milliseconds.
    private static let patience: CInt = 500

    private let output: FileDescriptor
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "webarc.devtools.commands")

    /// Takes ownership of the descriptor of a pipe, which ``end()`` closes.
    init(writing output: FileDescriptor) {
        self.output = output
        // Its own end alone: the browser's has flags of its own.
        _ = fcntl(output.rawValue, F_SETFL, fcntl(output.rawValue, F_GETFL) | O_NONBLOCK)
    }

    /// Adds a message to the pending ones. It does not block.
    func add(_ message: [UInt8]) {
        let isTaken = state.withLock { state in
            guard !state.isHanging, !state.hasEnded else { return false }
            guard message.count <= Self.maximumLength - state.waiting else {
                state.isHanging = true
                return false
            }
            state.waiting += message.count
            return true
        }
        guard isTaken else { return }
        queue.async { [self] in
            write(message)
            state.withLock { $0.waiting -= message.count }
        }
    }

    /// Drops pending messages, and closes the pipe. Call it once.
    func end() {
        state.withLock { $0.hasEnded = true }
        queue.async { [self] in try? output.close() }
    }

    /// Writes a message, unless the end comes first.
    private func write(_ message: [UInt8]) {
        message.withUnsafeBytes { message in
            var rest = message[...]
            while !rest.isEmpty, !state.withLock({ $0.hasEnded }) {
                do {
                    rest = rest.dropFirst(try output.write(UnsafeRawBufferPointer(rebasing: rest)))
                } catch Errno.wouldBlock {
                    var request = pollfd(fd: output.rawValue, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&request, 1, Self.patience)
                } catch {
                    // No reader is left. The commands fail at the end of the responses.
                    state.withLock { $0.hasEnded = true }
                }
            }
        }
    }
}
