// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemPackage
package import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A line on the terminal that shows the progress of a long piece of work. In a pipe there is none.
///
/// Appears after a second, changes ten times a second at most, and is gone when the work is done.
package final class ProgressLine: Sendable {
    private struct State {
        var isShown = false
        var lastDrawn: ContinuousClock.Instant?
        var isEnded = false
    }

    // One for the process, as there is one terminal; other output clears it first.
    private static let state = Mutex(State())

    private let verb: String
    private let start = ContinuousClock.now

    /// Creates a line; nil if no one would see it.
    package init?(_ verb: String, isQuiet: Bool) {
        guard !isQuiet, isatty(STDERR_FILENO) == 1 else { return nil }
        if let terminal = getenv("TERM").map({ String(cString: $0) }), terminal == "dumb" { return nil }
        self.verb = verb
        Self.state.withLock { $0 = State() }
    }

    /// Draws the line, if it is due. It may be called from any thread, at any rate.
    ///
    /// - Parameter noun: the plural of the items; `files` by default.
    package func update(_ progress: WorkProgress, of noun: String = "files") {
        draw { ProgressText(verb: self.verb, progress: progress, seconds: $0, noun: noun) }
    }

    /// Draws the line with words of the caller, the most important ones first, if it is due.
    package func update(text parts: [String]) { draw { _ in ProgressText(parts) } }

    private func draw(_ text: (Double) -> ProgressText) {
        let now = ContinuousClock.now
        guard now - start >= .seconds(1) else { return }
        Self.state.withLock { state in
            if let last = state.lastDrawn, now - last < .milliseconds(100) { return }
            guard !state.isEnded else { return }
            state.lastDrawn = now
            state.isShown = true
            let parts = text((now - start).inSeconds)
            Self.write("\r\(parts.fitting(Self.width - 1))\u{1B}[K")
        }
    }

    package func update(bytes: UInt64, of total: UInt64) {
        var progress = WorkProgress()
        (progress.bytes, progress.totalBytes) = (bytes, total)
        update(progress)
    }

    /// Removes the line permanently.
    package func end() {
        Self.clearCurrent()
        Self.state.withLock { $0.isEnded = true }
    }

    /// Removes the line, so that other output can be printed; it returns with the next update.
    package static func clearCurrent() {
        state.withLock { state in
            if state.isShown { write("\r\u{1B}[K") }
            state.isShown = false
        }
    }

    private static func write(_ text: String) {
        _ = try? FileDescriptor.standardError.writeAll(Array(text.utf8))
    }

    /// The number of columns of the terminal.
    private static var width: Int {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }
}

extension Duration {
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
