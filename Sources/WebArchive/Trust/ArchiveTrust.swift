// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The keys that a reader trusts, and how many of them must have signed an archive. Specification section 13.
///
/// ```swift
/// let trust = ArchiveTrust([try ArchivePublicKey(text: publishersKey)])
/// let archive = try ArchiveReader(path: "notes.webarc", trust: trust)
/// ```
public struct ArchiveTrust: Sendable {
    /// The keys that are trusted.
    public var keys: Set<ArchivePublicKey>
    /// The number of different signers that an archive needs, at least 1.
    public var threshold: Int
    /// The record of the highest sequences that were seen, against old editions that are put back; nil, the default, for
    /// none.
    public var sequences: SequenceRecord?
    /// The keys that were revoked, beside those of the record; none by default. Their signatures and endorsements count for nothing.
    public var revokedKeys: Set<ArchivePublicKey> = []
    /// Whether opening an archive raises the record to its sequence; true by default. Otherwise the caller does it with
    /// ``ArchiveReader/recordSequence()`` when it has found the archive good.
    public var recordsOnOpening = true

    /// Creates a trust in keys.
    ///
    /// - Parameters:
    ///   - keys: any number; without one no archive is trusted.
    ///   - threshold: 1 by default; less counts as 1.
    ///   - sequences: nil by default.
    public init(_ keys: Set<ArchivePublicKey>, threshold: Int = 1, sequences: SequenceRecord? = nil) {
        (self.keys, self.threshold, self.sequences) = (keys, max(1, threshold), sequences)
    }

    /// The same trust, where opening leaves the record as it is.
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

    /// The same trust, where the keys that the record has as revoked are among ``revokedKeys``.
    ///
    /// - Throws: as ``SequenceRecord/sequences()``.
    package func withRecordedRevocations() throws(ArchiveError) -> ArchiveTrust {
        var trust = self
        if let sequences { trust.revokedKeys.formUnion(try sequences.revokedKeys()) }
        return trust
    }
}
