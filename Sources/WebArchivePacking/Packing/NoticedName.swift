// SPDX-License-Identifier: Apache-2.0

/// A name in a source's folder that a publisher is warned of.
///
/// There may be hundreds of thousands, of which few are told: its texts are made only then.
struct NoticedName: Sendable {
    /// The reason for a warning.
    enum Reason: Sendable {
        case skippedLink(SkippedLink.Fault)
        /// Another name of the archive that is written.
        case archiveItself
        /// The file of a secret key that signs the archive.
        case signingKey
        /// The earlier edition, like which the archive is packed.
        case earlierEdition
        case privateName(isFolder: Bool)
    }

    let reason: Reason
    let name: [UInt8]

    init(_ reason: Reason, _ name: [UInt8]) { (self.reason, self.name) = (reason, name) }
}
