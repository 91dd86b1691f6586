// SPDX-License-Identifier: Apache-2.0

/// The pace and the faults with which a response is delivered, whatever its source.
struct Shaping: Equatable {
    /// From the request to the head of the response.
    var delay: Duration = .zero
    /// At least 1; nil for no limit.
    var bytesPerSecond: Int?
    /// Bytes of the body after which the connection breaks; nil for never.
    var cutOff: Int?
    /// Nil for a response as it is.
    var corruption: Corruption?

    /// Whether there is nothing to do.
    var isNone: Bool { self == Shaping() }

    /// How long a part of a body takes.
    ///
    /// - Parameter count: its length in bytes.
    func time(forBytes count: Int) -> Duration {
        guard let bytesPerSecond else { return .zero }
        return .nanoseconds(Int128(count) * 1_000_000_000 / Int128(bytesPerSecond))
    }
}
