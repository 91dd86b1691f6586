// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive

/// The requests since the start without a response in any archive, or with one by a rule for recordings of the web only: their number, and the
/// time of the last one.
final class MissingPageLog: Sendable {
    /// A URL without a response.
    struct Miss: Sendable {
        /// The URL, with an ellipsis if it was truncated to ``MissingPageLog/maximumURLLength``.
        let url: String
        /// The rules that led to a response; none for a request without one.
        var rules: [MatchRule]
        /// The number of requests since the URL was remembered.
        var count: Int
        /// The time in nanoseconds since 1970.
        var last: Int64
    }

    /// The maximum number of remembered URLs; the least recently requested are removed first.
    static let capacity = 1000

    /// The maximum length of a URL, in bytes.
    static let maximumURLLength = 2048

    /// The misses by URL, at most ``capacity``.
    private let misses = Mutex<[String: Miss]>([:])

    /// Counts a miss. A mutex is held; occasionally for the time of sorting a thousand URLs.
    ///
    /// - Parameter rules: the rules that led to a response; none, the default, for a request without one.
    func note(_ url: String, rules: [MatchRule] = []) {
        let url =
            url.utf8.count > Self.maximumURLLength
            ? String(decoding: url.utf8.prefix(Self.maximumURLLength), as: UTF8.self) + "…" : url
        let now = ArchiveTime.now().nanoseconds
        misses.withLock { misses in
            if misses[url] == nil, misses.count >= Self.capacity {
                // A quarter at once, so that a flood of new URLs costs little.
                let old = misses.values.sorted { ($0.last, $0.url) < ($1.last, $1.url) }.prefix(Self.capacity / 4)
                for miss in old { misses[miss.url] = nil }
            }
            misses[url, default: Miss(url: url, rules: rules, count: 0, last: now)].count += 1
            misses[url]?.last = now
            misses[url]?.rules = rules
        }
    }

    /// The misses, the most frequent first.
    ///
    /// Getting it costs sorting them, outside of the lock.
    var all: [Miss] {
        misses.withLock { Array($0.values) }.sorted { ($1.count, $0.url) < ($0.count, $1.url) }
    }
}
