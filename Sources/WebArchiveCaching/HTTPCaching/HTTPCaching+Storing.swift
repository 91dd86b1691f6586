// SPDX-License-Identifier: Apache-2.0

import WebArchive

extension HTTPCaching {
    /// Returns whether a cache may store the response to a request. RFC 9111 section 3.
    ///
    /// Responses to `GET` and `HEAD` only: a storable response to a `POST` (RFC 9110 section 9.3.3) is for
    /// later `GET`s of a different record. Responses that cannot be reused are not stored: a part (206), a word about another
    /// response (304), the failure of a request's own condition or range (412, 416), and a response that varies with
    /// everything.
    func isStorable(_ request: ArchiveRequest, _ response: ArchiveResponse) -> Bool {
        storingObstacle(request, response) == nil
    }

    /// Returns the reason that keeps an exchange from being stored; nil if it may be.
    func storingObstacle(_ request: ArchiveRequest, _ response: ArchiveResponse) -> RecordingOutcome.Reason? {
        guard ["GET", "HEAD"].contains(request.method) else { return .notCacheable }
        guard !Self.partialStatuses.contains(response.status) else { return .conditional }
        guard (200...599).contains(response.status) else { return .notCacheable }
        let vary = response.headers["Vary"] ?? ""
        let fields = VaryingFields(request.headers)
        guard VaryDifference(vary: vary, stored: fields, requested: fields) == nil else {
            return .varying
        }
        let requestDirectives = CacheDirectives(request: request.headers)
        let responseDirectives = CacheDirectives(response.headers)
        if responseDirectives.mustUnderstand {
            guard Self.understoodStatuses.contains(response.status) else { return .notCacheable }
        } else if honoursNoStore, responseDirectives.isNoStore {
            return .noStore
        }
        if honoursNoStore, requestDirectives.isNoStore { return .noStore }
        let isCacheable =
            responseDirectives.isPublic || responseDirectives.isPrivate || responseDirectives.maxAge != nil
            || response.headers["Expires"] != nil
            || heuristicallyCacheableStatuses.contains(response.status)
        return isCacheable ? nil : .notCacheable
    }

    /// A part of a response, or a statement about another one, is not a response to the next request (RFC 9111 section 3.3).
    static let partialStatuses: Set<Int> = [206, 304, 412, 416]

    /// The final statuses of RFC 9110 section 15 whose caching behaviour is implemented here, which `must-understand`
    /// requires (section 5.2.2.3).
    private static let understoodStatuses: Set<Int> = Set(200...205).union(300...303).union([305, 307, 308])
        .union(400...411).union([413, 414, 415, 417, 421, 422, 426]).union(500...505)
}
