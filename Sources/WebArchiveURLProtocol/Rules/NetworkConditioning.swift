// SPDX-License-Identifier: Apache-2.0

/// The pace and the faults of the delivery of a response, from any source.
struct NetworkConditioning: Equatable {
    /// The time from the request to the head of the response.
    var delay: Duration = .zero
    /// The number of bytes a second, at least 1; nil for no limit.
    var bytesPerSecond: Int?
    /// The number of bytes of the body after which the connection breaks; nil for never.
    var cutOff: Int?
    /// The corruption; nil for an unchanged response.
    var corruption: Corruption?

    /// Whether the delivery is unchanged.
    var isNone: Bool { self == NetworkConditioning() }

    /// Returns the duration of a part of a body.
    ///
    /// - Parameter count: its length in bytes.
    func time(forBytes count: Int) -> Duration {
        guard let bytesPerSecond else { return .zero }
        return .nanoseconds(Int128(count) * 1_000_000_000 / Int128(bytesPerSecond))
    }
}
