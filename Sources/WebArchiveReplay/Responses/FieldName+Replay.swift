// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import WebArchive

extension HTTPField.Name {
    /// RFC 7838 section 3.
    package static let alternativeServices = HTTPField.Name("Alt-Svc")!
    /// RFC 9530 section 2.
    package static let contentDigest = HTTPField.Name("Content-Digest")!
    /// RFC 1864; obsolete.
    package static let contentMD5 = HTTPField.Name("Content-MD5")!
    /// RFC 3230 section 4.3.2; obsolete.
    package static let digest = HTTPField.Name("Digest")!
    /// The kind of element that a browser asks for, by Fetch Metadata.
    package static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")!
    /// The relation of the asking page to the server, by Fetch Metadata.
    package static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    /// RFC 7034.
    package static let frameOptions = HTTPField.Name("X-Frame-Options")!
    /// HTML standard, "Cross-origin opener policies".
    package static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
    /// Referrer Policy, a recommendation of the W3C.
    package static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    /// RFC 9530 section 3.
    package static let representationDigest = HTTPField.Name("Repr-Digest")!
    /// The mode of a browser's request, by Fetch Metadata: `navigate` for a page to show.
    package static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    /// The mark of a request for a service worker's script: `script`.
    package static let serviceWorker = HTTPField.Name("Service-Worker")!
    /// The widest scope that a service worker's script may have.
    package static let serviceWorkerAllowed = HTTPField.Name("Service-Worker-Allowed")!
    /// The mark of a navigation that a browser sends beside starting the service worker.
    package static let serviceWorkerNavigationPreload = HTTPField.Name("Service-Worker-Navigation-Preload")!
    /// The mark of a browser's navigation: `1`.
    package static let upgradeInsecureRequests = HTTPField.Name("Upgrade-Insecure-Requests")!

    /// ``ConnectionFields/names``, and fields that speak of the moment or the network of the recording: made again or left out.
    package static let ofTheRecording = Set(ConnectionFields.names.compactMap { HTTPField.Name($0) }).union([
        .contentLength, .date, .age, .alternativeServices, .acceptRanges,
    ])

    /// Fields that speak of the coded bytes, and are wrong once a coding was removed.
    package static let ofTheCoding: Set<HTTPField.Name> = [
        .contentEncoding, .contentMD5, .digest, .contentDigest, .representationDigest,
    ]
}

extension HTTPFields {
    /// Returns the value of a field that states a condition.
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
