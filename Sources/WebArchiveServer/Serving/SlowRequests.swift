// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WebArchiveReplay

/// The client addresses whose recent requests were slow.
///
/// An archive can be made in which a short request costs some hundred milliseconds. A lookup that exceeds a small budget moves to ``FairScheduler``.
/// Later requests from the same address go there immediately, so that other clients do not wait for them.
final class SlowRequests: Sendable {
    /// The time beyond which a response is slow: a thousand times as long as most.
    private static let threshold = TimeAmount.milliseconds(10)
    /// The time for which an address counts as slow, as a multiple of the time that the response took.
    private static let factor: Int64 = 20
    /// The maximum time for which an address counts as slow, after any response.
    private static let maximumDuration = TimeAmount.seconds(60)

    /// The times until which addresses count as slow.
    private let ends = AddressTable<NIODeadline> { $0 <= .now() }

    /// Makes a response, and notes its duration.
    ///
    /// - Parameters:
    ///   - address: the client, as ``ContentShare/client(_:)`` names it.
    ///   - respond: a function that makes the response, which is called once on the calling thread.
    func timing(_ address: String, _ respond: () -> ReplayResponse) -> ReplayResponse {
        let start = NIODeadline.now()
        defer { note(address, .now() - start) }
        return respond()
    }

    /// Notes the duration of a request: one of more than 10 milliseconds makes the address slow for twenty times as
    /// long, at most a minute.
    func note(_ address: String, _ duration: TimeAmount) {
        guard duration > Self.threshold else { return }
        let end = NIODeadline.now() + min(.nanoseconds(duration.nanoseconds * Self.factor), Self.maximumDuration)
        ends.withState(of: address) { $0 = max(end, $0 ?? end) }
    }

    /// Returns whether requests of an address are processed on other threads now.
    ///
    /// It costs one atomic read as long as no address is slow.
    func contains(_ address: String) -> Bool {
        guard !ends.isEmpty else { return false }
        return ends.withState(of: address) { end in
            if let known = end, known > .now() { return true }
            end = nil
            return false
        }
    }
}
