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
        case loading([CapturedExchange], length: UInt64)
        case whole
        case partial
    }

    private let states = Mutex<[String: State]>([:])

    /// The number of bytes of ranges of one URL that wait; later ones are dropped.
    private static let maximumLength: UInt64 = 256 << 20
    /// The number of URLs that are remembered.
    private static let maximumCount = 100_000

    /// Returns the use of a response with a range, when its head has come.
    func use(_ url: String) -> Use {
        states.withLock { states in
            switch states[url] {
            case .loading: return .hold
            case .whole: return .drop
            case .partial: return .keep
            case nil:
                guard states.count < Self.maximumCount else { return .keep }
                states[url] = .loading([], length: 0)
                return .load
            }
        }
    }

    /// Takes the whole response with a range.
    ///
    /// - Returns: whether it is to be recorded now.
    func add(_ exchange: CapturedExchange) -> Bool {
        states.withLock { states in
            switch states[exchange.request.url] {
            case .loading(var held, let length):
                guard length + exchange.length <= Self.maximumLength else { return false }
                held.append(exchange)
                states[exchange.request.url] = .loading(held, length: length + exchange.length)
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
        states.withLock { states in
            guard case .loading(let held, _)? = states[url] else { return [] }
            states[url] = isWhole ? .whole : .partial
            return isWhole ? [] : held
        }
    }
}
