// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ArchivePolicy {
    /// Returns the policy for a request that has a cache policy of its own.
    ///
    /// All six are honoured: `useProtocolCachePolicy` leaves it to this policy; `reloadIgnoringLocalCacheData` and
    /// `reloadIgnoringLocalAndRemoteCacheData` load; `returnCacheDataElseLoad` is ``archiveFirst``; `returnCacheDataDontLoad` is
    /// ``archiveOnly``; `reloadRevalidatingCacheData` validates the stored response before use (RFC 9111 section 5.2.1.4).
    func overridden(by cachePolicy: URLRequest.CachePolicy) -> ArchivePolicy {
        switch cachePolicy {
        case .useProtocolCachePolicy: return self
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: return .networkOnly
        case .returnCacheDataElseLoad:
            return ArchivePolicy(name: "archiveFirst", .archiveFirst, offlineError: offlineError)
        case .returnCacheDataDontLoad: return .archiveOnly
        case .reloadRevalidatingCacheData:
            if case .http = rule { return self }
            return .http
        @unknown default: return self
        }
    }
}

extension URLRequest.CachePolicy {
    /// The directives of the policy for intermediate caches, or for our own.
    var directives: HeaderFields {
        switch self {
        case .reloadIgnoringLocalAndRemoteCacheData: ["Cache-Control": "no-cache", "Pragma": "no-cache"]
        case .reloadRevalidatingCacheData: ["Cache-Control": "no-cache"]
        default: [:]
        }
    }
}
