// SPDX-License-Identifier: Apache-2.0

/// An exponential backoff for restarts: no delay at first, then one that doubles each time, until the restarted process has kept running.
struct RestartDelay: Sendable {
    static let first = Duration.zero
    static let second = Duration.seconds(1)
    static let longest = Duration.seconds(60)
    /// The running time beyond which an end does not count as a failed start.
    static let lasting = Duration.seconds(10)

    private var next = first

    /// Returns the delay after an end.
    ///
    /// - Parameter run: the running time.
    mutating func delay(afterRunOf run: Duration) -> Duration {
        if run >= Self.lasting { next = Self.first }
        defer { next = min(max(next * 2, Self.second), Self.longest) }
        return next
    }
}
