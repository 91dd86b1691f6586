// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import WebArchive

extension HTTPField.Name {
    /// The time that a client wants (RFC 7089 section 2.1.1).
    package static let acceptDatetime = HTTPField.Name("Accept-Datetime")!
    /// The field `Alt-Svc` (RFC 7838 section 3).
    package static let alternativeServices = HTTPField.Name("Alt-Svc")!
    /// The field `Content-Digest` (RFC 9530 section 2).
    package static let contentDigest = HTTPField.Name("Content-Digest")!
    /// The field `Content-MD5` (RFC 1864; obsolete).
    package static let contentMD5 = HTTPField.Name("Content-MD5")!
    /// The field `Digest` (RFC 3230 section 4.3.2; obsolete).
    package static let digest = HTTPField.Name("Digest")!
    /// The kind of element that a browser requests, by Fetch Metadata.
    package static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")!
    /// The field `Link` (RFC 8288 section 3).
    package static let link = HTTPField.Name("Link")!
    /// The time at which a response was captured (RFC 7089 section 2.1.1).
    package static let mementoDatetime = HTTPField.Name("Memento-Datetime")!
    /// The relation of the requesting page to the server, by Fetch Metadata.
    package static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    /// The field `X-Frame-Options` (RFC 7034).
    package static let frameOptions = HTTPField.Name("X-Frame-Options")!
    /// The field `Cross-Origin-Opener-Policy` (HTML standard, "Cross-origin opener policies").
    package static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
    /// The field `Referrer-Policy` (Referrer Policy, a recommendation of the W3C).
    package static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    /// The field `Repr-Digest` (RFC 9530 section 3).
    package static let representationDigest = HTTPField.Name("Repr-Digest")!
    /// The mode of a browser's request, by Fetch Metadata: `navigate` for a page.
    package static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    /// The mark of a request for a service worker's script: `script`.
    package static let serviceWorker = HTTPField.Name("Service-Worker")!
    /// The widest scope that a service worker's script may have.
    package static let serviceWorkerAllowed = HTTPField.Name("Service-Worker-Allowed")!
    /// The mark of a navigation that a browser sends while it starts the service worker.
    package static let serviceWorkerNavigationPreload = HTTPField.Name("Service-Worker-Navigation-Preload")!
    /// The mark of a browser's navigation: `1`.
    package static let upgradeInsecureRequests = HTTPField.Name("Upgrade-Insecure-Requests")!

    /// The names of ``ConnectionFields/names``, and fields that depend on the moment or the network of the recording: created again or left out.
    package static let ofTheRecording = Set(ConnectionFields.names.compactMap { HTTPField.Name($0) }).union([
        .contentLength, .date, .age, .alternativeServices, .acceptRanges,
    ])

    /// The fields that describe the coded bytes, and are wrong once a coding was removed.
    package static let ofTheCoding: Set<HTTPField.Name> = [
        .contentEncoding, .contentMD5, .digest, .contentDigest, .representationDigest,
    ]
}

extension HTTPFields {
    /// Returns the value of a conditional field.
    ///
    /// - Parameter condition: the field of a condition (RFC 9110 section 13.1).
    package func value(of condition: Preconditions.Field) -> String? {
        switch condition {
        case .ifMatch: self[.ifMatch]
        case .ifNoneMatch: self[.ifNoneMatch]
        case .ifModifiedSince: self[.ifModifiedSince]
        case .ifUnmodifiedSince: self[.ifUnmodifiedSince]
        case .ifRange: self[.ifRange]
        }
    }
}
