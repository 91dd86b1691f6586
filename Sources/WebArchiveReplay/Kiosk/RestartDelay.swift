// SPDX-License-Identifier: Apache-2.0

/// How long to wait before something that ended is started again: twice as long each time, until it has lasted.
struct RestartDelay: Sendable {
    static let first = Duration.seconds(1)
    static let longest = Duration.seconds(60)
    /// What has run for so long was no failure of starting.
    static let lasting = Duration.seconds(60)

    private var next = first

    /// The delay after an end.
    ///
    /// - Parameter run: how long it ran.
    mutating func delay(afterRunOf run: Duration) -> Duration {
        if run >= Self.lasting { next = Self.first }
        defer { next = min(next * 2, Self.longest) }
        return next
    }
}
