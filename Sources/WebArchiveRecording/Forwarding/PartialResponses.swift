// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive

/// The URLs of which clients requested ranges: the whole of each is loaded once, and ranges are recorded only where a server does not give the whole.
final class PartialResponses: Sendable {
    /// The use of a response with a range.
    enum Use {
        /// The archive has the whole, or will have it: the range is not recorded.
        case drop
        /// The whole is being loaded, and the range waits for its end.
        case hold
        /// As `hold`, and the caller loads the whole now.
        case load
        /// The server does not give the whole: the range is recorded.
        case keep
    }

    private enum State {
        case loading([CapturedExchange])
        case whole
        case partial
    }

    private struct Known {
        /// The states by the digests of the URLs, which may be long.
        var states: [ContentDigest: State] = [:]
        /// The number of ranges that wait, and of their bytes.
        var count = 0
        var length: UInt64 = 0
    }

    private let known = Mutex(Known())

    /// The number of ranges that wait, and of their bytes; later ones are dropped.
    private static let maximumHeldCount = 64
    private static let maximumHeldLength: UInt64 = 64 << 20
    /// The number of URLs that are remembered.
    private static let maximumCount = 100_000

    private static func key(_ url: String) -> ContentDigest { ContentDigest(hashing: Array(url.utf8)) }

    /// Returns the use of a response with a range, when its head has come.
    func use(_ url: String) -> Use {
        let url = Self.key(url)
        return known.withLock { known in
            switch known.states[url] {
            case .loading: return .hold
            case .whole: return .drop
            case .partial: return .keep
            case nil:
                guard known.states.count < Self.maximumCount else { return .keep }
                known.states[url] = .loading([])
                return .load
            }
        }
    }

    /// Takes the whole response with a range.
    ///
    /// - Returns: whether it is to be recorded now.
    func add(_ exchange: CapturedExchange) -> Bool {
        let url = Self.key(exchange.request.url)
        return known.withLock { known in
            switch known.states[url] {
            case .loading(let held):
                guard known.count < Self.maximumHeldCount, known.length + exchange.length <= Self.maximumHeldLength
                else { return false }
                known.count += 1
                known.length += exchange.length
                known.states[url] = .loading(held + [exchange])
                return false
            case .whole: return false
            case .partial, nil: return true
            }
        }
    }

    /// Ends the load of a whole.
    ///
    /// - Returns: the ranges that are to be recorded, because the server did not give the whole.
    func finish(_ url: String, isWhole: Bool) -> [CapturedExchange] {
        let url = Self.key(url)
        return known.withLock { known in
            guard case .loading(let held)? = known.states[url] else { return [] }
            known.states[url] = isWhole ? .whole : .partial
            known.count -= held.count
            known.length -= held.reduce(0) { $0 + $1.length }
            return isWhole ? [] : held
        }
    }
}
