// SPDX-License-Identifier: Apache-2.0

/// A name in a source's folder that causes a warning.
///
/// There may be hundreds of thousands, of which few are reported: its texts are created only then.
struct NoticedName: Sendable {
    /// The reason for a warning.
    enum Reason: Sendable {
        /// A symbolic link that is not followed.
        case skippedLink(SkippedLink.Fault)
        /// A second name of the archive that is being written.
        case archiveItself
        /// The file of a secret key that signs the archive.
        case signingKey
        /// The earlier edition, which is the model of the archive.
        case earlierEdition
        /// A file or folder that is packed, though ``PrivateName`` has its name.
        case privateName(isFolder: Bool)
    }

    let reason: Reason
    /// The name in the folder of the listing; bytes, since it need not be UTF-8.
    let name: [UInt8]

    init(_ reason: Reason, _ name: [UInt8]) { (self.reason, self.name) = (reason, name) }
}
