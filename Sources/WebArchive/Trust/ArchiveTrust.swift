// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The trusted keys of a reader, and the required number of signers. Specification section 13.
///
/// ```swift
/// let trust = ArchiveTrust([try ArchivePublicKey(text: publishersKey)])
/// let archive = try ArchiveReader(path: "notes.webarc", trust: trust)
/// ```
public struct ArchiveTrust: Sendable {
    /// The trusted keys.
    public var keys: Set<ArchivePublicKey>
    /// The required number of different signers of an archive, at least 1.
    public var threshold: Int
    /// The record of the highest sequences that were seen, against rollback to old editions; nil, the default, for
    /// none.
    public var sequences: SequenceRecord?
    /// The revoked keys, in addition to those of the record; none by default. Their signatures and endorsements do not count.
    public var revokedKeys: Set<ArchivePublicKey> = []
    /// Whether opening an archive raises the record to its sequence; true by default. Otherwise the caller does it with
    /// ``ArchiveReader/recordSequence()`` when it has found the archive good.
    public var recordsOnOpening = true

    /// Creates a trust in keys.
    ///
    /// - Parameters:
    ///   - keys: any number; without one no archive is trusted.
    ///   - threshold: the required number of signers; 1 by default, and less counts as 1.
    ///   - sequences: nil by default.
    public init(_ keys: Set<ArchivePublicKey>, threshold: Int = 1, sequences: SequenceRecord? = nil) {
        (self.keys, self.threshold, self.sequences) = (keys, max(1, threshold), sequences)
    }

    /// The same trust, without raising the record on opening.
    package var withoutRecording: ArchiveTrust {
        var trust = self
        trust.recordsOnOpening = false
        return trust
    }

    /// The same trust without the record, for files that were accepted before.
    package var withoutSequences: ArchiveTrust {
        var trust = self
        trust.sequences = nil
        return trust
    }

    /// The same trust without revocations, for an archive that was accepted before them.
    package var withoutRevocations: ArchiveTrust {
        var trust = withoutSequences
        trust.revokedKeys = []
        return trust
    }

    /// Returns the same trust, with the revoked keys of the record among ``revokedKeys``.
    ///
    /// - Throws: as ``SequenceRecord/sequences()``.
    package func withRecordedRevocations() throws(ArchiveError) -> ArchiveTrust {
        var trust = self
        if let sequences { trust.revokedKeys.formUnion(try sequences.revokedKeys()) }
        return trust
    }
}
