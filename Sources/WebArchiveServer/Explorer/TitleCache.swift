// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive
import WebArchiveReplay

/// The titles of pages of the archives that are served now, as far as they have been read: those of each site for themselves, in memory that
/// is bounded for all together.
final class TitleCache: Sendable {
    /// A body of a layer, by its number.
    struct Key: Hashable {
        let layer: Int
        let body: Int
    }

    private struct Site {
        weak let responder: ReplayResponder?
        /// Empty for a page without a title.
        var titles: [Key: String] = [:]
        /// Their memory in bytes, about.
        var length = 0
    }

    private let state = Mutex<[ObjectIdentifier: Site]>([:])
    private let capacity: Int

    /// The cost of a title beside its text, in bytes.
    private static let titleCost = 96

    /// - Parameter capacity: memory for titles, in bytes: enough for some 200,000. Where it is full, the site that takes most of it loses its
    ///   titles to others, and what comes later of that site itself is read again each time.
    init(capacity: Int = 32 << 20) { self.capacity = capacity }

    /// Nil if the title is not known yet, and empty if the page has none.
    func title(_ key: Key, _ responder: ReplayResponder) -> String? {
        state.withLock { sites in
            // Another responder may have come to be where one was that is gone.
            guard let site = sites[ObjectIdentifier(responder)], site.responder === responder else { return nil }
            return site.titles[key]
        }
    }

    func keep(_ title: String, _ key: Key, _ responder: ReplayResponder) {
        state.withLock { sites in
            let id = ObjectIdentifier(responder)
            if sites[id]?.responder !== responder {
                sites = sites.filter { $0.value.responder != nil }
                sites[id] = Site(responder: responder)
            }
            let cost = title.utf8.count + Self.titleCost
            while sites.values.reduce(cost, { $0 + $1.length }) > capacity {
                guard let largest = sites.max(by: { $0.value.length < $1.value.length })?.key, largest != id else {
                    return
                }
                sites[largest] = nil
            }
            guard sites[id]?.titles.updateValue(title, forKey: key) == nil else { return }
            sites[id]?.length += cost
        }
    }
}
