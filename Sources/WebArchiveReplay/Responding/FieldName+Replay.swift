// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import WebArchive

extension HTTPField.Name {
    static let alternativeServices = HTTPField.Name("Alt-Svc")!
    static let contentDigest = HTTPField.Name("Content-Digest")!
    static let contentMD5 = HTTPField.Name("Content-MD5")!
    static let digest = HTTPField.Name("Digest")!
    static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")!
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    static let frameOptions = HTTPField.Name("X-Frame-Options")!
    static let keepAlive = HTTPField.Name("Keep-Alive")!
    static let proxyConnection = HTTPField.Name("Proxy-Connection")!
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    static let representationDigest = HTTPField.Name("Repr-Digest")!
    static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    static let serviceWorker = HTTPField.Name("Service-Worker")!
    static let serviceWorkerAllowed = HTTPField.Name("Service-Worker-Allowed")!
    static let serviceWorkerNavigationPreload = HTTPField.Name("Service-Worker-Navigation-Preload")!
    static let upgradeInsecureRequests = HTTPField.Name("Upgrade-Insecure-Requests")!

    /// Fields that speak of one connection (RFC 9110 section 7.6.1), and of the moment or the network of the recording.
    static let ofTheConnection: Set<HTTPField.Name> = [
        .connection, .keepAlive, .proxyAuthenticate, .proxyAuthorization, .proxyConnection, .te, .trailer,
        .transferEncoding, .upgrade, .contentLength, .date, .age, .alternativeServices, .acceptRanges,
    ]

    /// Fields that speak of the coded bytes, and are wrong once a coding was removed.
    static let ofTheCoding: Set<HTTPField.Name> = [
        .contentEncoding, .contentMD5, .digest, .contentDigest, .representationDigest,
    ]
}

extension HTTPFields {
    /// The value of a field that states a condition.
    func value(of condition: Preconditions.Field) -> String? {
        switch condition {
        case .ifMatch: self[.ifMatch]
        case .ifNoneMatch: self[.ifNoneMatch]
        case .ifModifiedSince: self[.ifModifiedSince]
        case .ifUnmodifiedSince: self[.ifUnmodifiedSince]
        case .ifRange: self[.ifRange]
        }
    }
}
