// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import WebArchive

extension HTTPField.Name {
    package static let alternativeServices = HTTPField.Name("Alt-Svc")!
    package static let contentDigest = HTTPField.Name("Content-Digest")!
    package static let contentMD5 = HTTPField.Name("Content-MD5")!
    package static let digest = HTTPField.Name("Digest")!
    package static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")!
    package static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    package static let frameOptions = HTTPField.Name("X-Frame-Options")!
    package static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
    package static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    package static let representationDigest = HTTPField.Name("Repr-Digest")!
    package static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    package static let serviceWorker = HTTPField.Name("Service-Worker")!
    package static let serviceWorkerAllowed = HTTPField.Name("Service-Worker-Allowed")!
    package static let serviceWorkerNavigationPreload = HTTPField.Name("Service-Worker-Navigation-Preload")!
    package static let upgradeInsecureRequests = HTTPField.Name("Upgrade-Insecure-Requests")!

    /// ``ConnectionFields/names``, and fields that speak of the moment or the network of the recording: made anew or left out.
    package static let ofTheRecording = Set(ConnectionFields.names.compactMap { HTTPField.Name($0) }).union([
        .contentLength, .date, .age, .alternativeServices, .acceptRanges,
    ])

    /// Fields that speak of the coded bytes, and are wrong once a coding was removed.
    package static let ofTheCoding: Set<HTTPField.Name> = [
        .contentEncoding, .contentMD5, .digest, .contentDigest, .representationDigest,
    ]
}

extension HTTPFields {
    /// The value of a field that states a condition.
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
