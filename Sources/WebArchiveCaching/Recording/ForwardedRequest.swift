// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import WebArchive

/// A request that goes to the origin server, with the stored exchange of the archive.
package struct ForwardedRequest: Sendable {
    /// The request in its stored form.
    package var request: ArchiveRequest
    /// The canonical form of the request's URL.
    package let url: CanonicalURL
    /// The body of the request; nil for none.
    package let body: Data?
    /// The policy for this request, after its own `cachePolicy`.
    package let policy: ArchivePolicy
    /// The policy of the session, independent of the request's own.
    package let sessionPolicy: ArchivePolicy
    /// The stored exchange that the response replaces.
    package let replaced: StoredExchange?
    /// Removes header fields that the app does not want stored.
    package let stripFields: @Sendable (inout ArchiveRequest, inout ArchiveResponse) -> Void

    package init(
        request: ArchiveRequest, url: CanonicalURL, body: Data?, policy: ArchivePolicy, sessionPolicy: ArchivePolicy,
        replaced: StoredExchange?,
        stripFields: @escaping @Sendable (inout ArchiveRequest, inout ArchiveResponse) -> Void
    ) {
        self.request = request
        self.url = url
        self.body = body
        self.policy = policy
        self.sessionPolicy = sessionPolicy
        self.replaced = replaced
        self.stripFields = stripFields
    }
}
