// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The messages to a browser, which a queue writes one after another, so that nobody waits for a browser that does not read.
///
/// A browser that leaves more than ``maximumLength`` unread hangs: it gets no message any more, and so answers none.
final class OutgoingMessages: Sendable {
    private struct State {
        /// Bytes that have not been written.
        var waiting = 0
        var isHanging = false
        var hasEnded = false
    }

    /// The bytes that may wait to be written. The longest messages are scripts of some ten thousand bytes.
    static let maximumLength = 16 << 20
    /// Between two looks whether the end has come while the pipe is full, in milliseconds.
    private static let patience: CInt = 500

    private let output: FileDescriptor
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "webarc.devtools.commands")

    /// Takes over the descriptor of a pipe, which ``end()`` closes.
    init(writing output: FileDescriptor) {
        self.output = output
        // Its own end alone: the browser's has flags of its own.
        _ = fcntl(output.rawValue, F_SETFL, fcntl(output.rawValue, F_GETFL) | O_NONBLOCK)
    }

    /// Adds a message to those that wait. Does not block.
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

    /// Drops what waits, and closes the pipe. To be called once.
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
                    // Nobody reads any more. The commands are answered when the end of the responses is seen.
                    state.withLock { $0.hasEnded = true }
                }
            }
        }
    }
}
