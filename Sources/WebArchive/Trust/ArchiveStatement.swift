// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A verified statement that trusted keys signed about an archive. Specification section 13.3.
public struct ArchiveStatement: Hashable, Sendable {
    /// The name of the series of which the archive is an edition.
    public let series: String
    /// The number of the edition, which grows from one edition to the next.
    public let sequence: UInt64
    /// The time of signing by the signer's clock; nil for an unknown one.
    public let time: ArchiveTime?
    /// The number of the signed commit, from 0: the newest one that is read.
    public let commit: Int
    /// The root of the commit's tree, 32 bytes, which represents every signed byte.
    public let root: [UInt8]
    /// The trusted keys that signed, themselves or through a key that they endorsed, in the order of their bytes.
    public let signers: [ArchivePublicKey]

    init(_ statement: SignedStatement, signers: Set<ArchivePublicKey>) {
        (series, sequence, root) = (statement.series, statement.sequence, statement.root)
        time = ArchiveTime(nanoseconds: statement.time)
        commit = Int(statement.commitNumber)
        self.signers = signers.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }
}
