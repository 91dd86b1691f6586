// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import Synchronization
import WebArchive

/// The answers that were given last, so that the pages that everybody asks for are found and put together once.
///
/// Keeps what was used within the last round of a clock hand (second chance); what it holds is bounded in bytes.
final class AnswerCache: Sendable {
    private struct Slot {
        let url: CanonicalURL
        let answer: StoredAnswer
        let cost: Int
        var isUsed: Bool
    }

    private struct State {
        var numbers: [CanonicalURL: Int] = [:]
        var slots: [Slot?] = []
        var free: [Int] = []
        var hand = 0
        var cost = 0
    }

    private let state = Mutex(State())
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    subscript(url: CanonicalURL) -> StoredAnswer? {
        get {
            state.withLock { state in
                guard let number = state.numbers[url] else { return nil }
                state.slots[number]?.isUsed = true
                return state.slots[number]?.answer
            }
        }
        set {
            guard let newValue else { return }
            let cost = Self.cost(url, newValue)
            guard cost <= capacity / 4 else { return }
            state.withLock { state in
                guard state.numbers[url] == nil else { return }
                while state.cost + cost > capacity { Self.removeOne(&state) }
                let slot = Slot(url: url, answer: newValue, cost: cost, isUsed: false)
                if let number = state.free.popLast() {
                    state.slots[number] = slot
                    state.numbers[url] = number
                } else {
                    state.numbers[url] = state.slots.count
                    state.slots.append(slot)
                }
                state.cost += cost
            }
        }
    }

    private static func removeOne(_ state: inout State) {
        while true {
            state.hand = (state.hand + 1) % state.slots.count
            guard let slot = state.slots[state.hand] else { continue }
            if slot.isUsed {
                state.slots[state.hand]?.isUsed = false
                continue
            }
            state.numbers[slot.url] = nil
            state.slots[state.hand] = nil
            state.free.append(state.hand)
            state.cost -= slot.cost
            return
        }
    }

    /// About what an answer takes in memory, in bytes.
    private static func cost(_ url: CanonicalURL, _ answer: StoredAnswer) -> Int {
        let fields = answer.fields.reduce(0) { $0 + 128 + $1.value.utf8.count }
        return 256 + 2 * url.bytes.count + fields + (answer.content?.capacity ?? 0)
    }
}
