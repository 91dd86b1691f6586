// SPDX-License-Identifier: Apache-2.0

/// An exchange that is stored: in an archive, or waiting for the next commit.
struct StoredExchange: Sendable {
    /// The canonical URL under which it is found.
    let url: CanonicalURL
    /// Method, URL as it was asked for, and header fields, which `Vary` is compared with.
    let request: ArchiveRequest
    let answer: ArchiveAnswer
    /// Nil for a body of no bytes.
    let body: StoredBody?
    /// When the answer came; nil if that is unknown.
    let time: ArchiveTime?
}

/// The bytes of a stored exchange's body.
enum StoredBody: Sendable {
    case archived(ArchiveBody)
}
