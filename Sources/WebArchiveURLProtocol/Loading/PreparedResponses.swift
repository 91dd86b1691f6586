// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A cache of recent responses: creating one takes Foundation longer than all other work for a stored response.
///
/// An `HTTPURLResponse` never changes, so the same one is given again for as long as the stored response is the same, field by field.
final class PreparedResponses: Sendable {
    /// The components of a response, except its URL.
    private struct Source: Equatable {
        let status: Int
        let headers: HeaderFields
        let codings: [String]
        /// The length of the body in bytes; nil without a body.
        let bodyLength: UInt64?
    }

    private let responses = Mutex(RecentValues<URL, (source: Source, response: HTTPURLResponse)>(capacity: 128))
    /// The maximum length of header fields in bytes; responses with more are created each time, so that the cache stays below some mebibytes.
    private static let maximumHeaderLength = 8 << 10

    /// Returns the response to a request for all of a stored one.
    ///
    /// - Parameter make: a function that makes it where it is missing yet.
    func response(
        _ url: URL, _ stored: ArchiveResponse, bodyLength: UInt64?,
        _ make: () throws(ArchiveError) -> HTTPURLResponse
    ) throws(ArchiveError) -> HTTPURLResponse {
        let source = Source(
            status: stored.status, headers: stored.headers, codings: stored.codings, bodyLength: bodyLength)
        if let known = responses.withLock({ $0[url] }), known.source == source { return known.response }
        let response = try make()
        if stored.headers.length <= Self.maximumHeaderLength {
            responses.withLock { $0[url] = (source, response) }
        }
        return response
    }
}

extension HeaderFields {
    /// The length of all names and values, in bytes.
    fileprivate var length: Int { reduce(0) { $0 + $1.nameBytes.count + $1.valueBytes.count } }
}
