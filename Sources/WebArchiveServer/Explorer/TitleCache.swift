// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive
import WebArchiveReplay

/// A cache of the titles of pages of the served archives, as far as they have been read: separately for each site, in memory that
/// is bounded for all together.
final class TitleCache: Sendable {
    /// A body of a layer, by its number.
    struct Key: Hashable {
        /// The number of the layer, from 0.
        let layer: Int
        /// The number of the body in that layer: entries with the same body share its title.
        let body: Int
    }

    /// The titles of one site.
    private struct Site {
        /// The responder of the site, without which its titles are of no use.
        weak let responder: ReplayResponder?
        /// The titles, empty for a page without one.
        var titles: [Key: String] = [:]
        /// Their approximate memory in bytes.
        var length = 0
    }

    /// The titles by the identity of the responder.
    private let state = Mutex<[ObjectIdentifier: Site]>([:])
    /// The maximum memory of all titles, in bytes.
    private let capacity: Int

    /// The cost of a title besides its text, in bytes.
    private static let titleCost = 96

    /// - Parameter capacity: the memory for titles, in bytes: enough for some 200,000. When it is full, the site that takes most of it loses its
    ///   titles to others, and later ones of that site itself are read again each time.
    init(capacity: Int = 32 << 20) { self.capacity = capacity }

    /// Returns a title; nil if it is not known yet, and empty if the page has none.
    func title(_ key: Key, _ responder: ReplayResponder) -> String? {
        state.withLock { sites in
            // A different responder may have the address of an earlier one.
            guard let site = sites[ObjectIdentifier(responder)], site.responder === responder else { return nil }
            return site.titles[key]
        }
    }

    /// Keeps a title, unless there is no room for it: the site that takes most memory then loses its titles, unless it
    /// is this one.
    ///
    /// - Parameter title: the title; empty for a page without one.
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
