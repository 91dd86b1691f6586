// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive

/// The requests since the start that no archive answers: their number, and the time of the last one.
final class MissLog: Sendable {
    struct Miss: Sendable {
        let url: String
        var count: Int
        /// In nanoseconds since 1970.
        var last: Int64
    }

    /// URLs that are remembered; those that were asked for longest ago go first.
    static let capacity = 1000

    /// The length to which a URL is cut, in bytes.
    static let longestURL = 2048

    private let misses = Mutex<[String: Miss]>([:])

    /// Counts a miss. A mutex is held; now and then for as long as sorting a thousand URLs takes.
    func note(_ url: String) {
        let url =
            url.utf8.count > Self.longestURL
            ? String(decoding: url.utf8.prefix(Self.longestURL), as: UTF8.self) + "…" : url
        let now = ArchiveTime.now().nanoseconds
        misses.withLock { misses in
            if misses[url] == nil, misses.count >= Self.capacity {
                // A quarter at once, so that a flood of new URLs costs little.
                let old = misses.values.sorted { ($0.last, $0.url) < ($1.last, $1.url) }.prefix(Self.capacity / 4)
                for miss in old { misses[miss.url] = nil }
            }
            misses[url, default: Miss(url: url, count: 0, last: now)].count += 1
            misses[url]?.last = now
        }
    }

    /// The misses, the most frequent first.
    var all: [Miss] {
        misses.withLock { Array($0.values) }.sorted { ($1.count, $0.url) < ($0.count, $1.url) }
    }
}
