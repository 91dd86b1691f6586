// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization
import WebArchiveReplay

/// The addresses whose requests took long lately.
///
/// An archive can be made in which a short request costs some hundred milliseconds. Finding its response is left to ``FairWork`` once that has
/// used a small budget up; requests of the address that follow are left to it at once, so that other clients do not wait for them.
final class SlowRequests: Sendable {
    /// A response that takes longer is slow: a thousand times as long as most.
    private static let threshold = TimeAmount.milliseconds(10)
    /// How much longer than the response took its address counts as slow.
    private static let factor: Int64 = 20
    private static let longest = TimeAmount.seconds(60)
    private static let mostAddresses = 4096

    private let ends = Mutex<[String: NIODeadline]>([:])
    /// The count of `ends`, which is 0 almost always.
    private let count = Atomic(0)

    /// Makes a response, and notes how long that took.
    func timing(_ address: String, _ respond: () -> ReplayResponse) -> ReplayResponse {
        let start = NIODeadline.now()
        defer { note(address, .now() - start) }
        return respond()
    }

    func note(_ address: String, _ duration: TimeAmount) {
        guard duration > Self.threshold else { return }
        let now = NIODeadline.now()
        let end = now + min(.nanoseconds(duration.nanoseconds * Self.factor), Self.longest)
        ends.withLock { ends in
            if ends.count >= Self.mostAddresses { ends = ends.filter { $0.value > now } }
            if ends.count < Self.mostAddresses || ends[address] != nil {
                ends[address] = max(end, ends[address] ?? end)
            }
            count.store(ends.count, ordering: .relaxed)
        }
    }

    /// Whether requests of an address are to be answered on other threads now.
    func contains(_ address: String) -> Bool {
        guard count.load(ordering: .relaxed) > 0 else { return false }
        return ends.withLock { ends in
            guard let end = ends[address] else { return false }
            if end > .now() { return true }
            ends[address] = nil
            count.store(ends.count, ordering: .relaxed)
            return false
        }
    }
}
