// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive
import WebArchiveReplay

/// The titles of pages of the archives that are served now, as far as they have been read.
final class TitleCache: Sendable {
    /// A body of a layer, by its number.
    struct Key: Hashable {
        let layer: Int
        let body: Int
    }

    private struct State {
        weak var responder: ReplayResponder?
        /// Empty for a page without a title.
        var titles: [Key: String] = [:]
        /// Their memory in bytes, about.
        var length = 0
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// The cost of a title beside its text, in bytes.
    private static let titleCost = 96

    /// - Parameter capacity: memory for titles, in bytes: enough for some 200,000. What comes later is read again each time.
    init(capacity: Int = 32 << 20) { self.capacity = capacity }

    /// Nil if the title is not known yet, and empty if the page has none.
    func title(_ key: Key, _ responder: ReplayResponder) -> String? {
        state.withLock { $0.responder === responder ? $0.titles[key] : nil }
    }

    func keep(_ title: String, _ key: Key, _ responder: ReplayResponder) {
        state.withLock { state in
            if state.responder !== responder { state = State(responder: responder) }
            let cost = title.utf8.count + Self.titleCost
            guard state.length + cost <= capacity, state.titles.updateValue(title, forKey: key) == nil else { return }
            state.length += cost
        }
    }
}
