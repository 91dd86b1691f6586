// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// A limit of lines of one kind in a log, since a client or a file may cause any number of them.
final class LineLimit: Sendable {
    /// The lines of the present minute.
    private struct State {
        /// The time of the first line of that minute.
        var minute = NIODeadline.uptimeNanoseconds(0)
        /// The number of lines since then.
        var lines = 0
        /// The number of lines that were left out since the last one that was written.
        var leftOut = 0
    }

    /// The maximum number of lines a minute.
    private let most: Int
    private let state = Mutex(State())

    /// - Parameter most: the maximum number of lines a minute.
    init(most: Int) { self.most = most }

    /// Returns the suffix of a line that may be written now; nil for one that is left out.
    ///
    /// The suffix states the number of lines that were left out since the last one. It is empty if none was.
    ///
    /// A minute begins with a line, and not with the clock.
    func words(at now: NIODeadline = .now()) -> String? {
        state.withLock { state in
            if now >= state.minute + .minutes(1) || state.lines == 0 { (state.minute, state.lines) = (now, 0) }
            guard state.lines < most else {
                state.leftOut += 1
                return nil
            }
            state.lines += 1
            defer { state.leftOut = 0 }
            return state.leftOut > 0 ? " (and \(state.leftOut) more since the last such message)" : ""
        }
    }
}
