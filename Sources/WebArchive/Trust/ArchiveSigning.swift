// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The keys and the statement for the signature of a commit. Specification section 13.3.
public struct ArchiveSigning: Sendable {
    /// The signing keys, 1 to 16.
    public var keys: [ArchiveSigningKey]
    /// The name of the series of which the archive is an edition, such as the name of its site: 1 to 64 bytes of UTF-8
    /// without zero bytes.
    public var series: String
    /// The number of the edition. Readers that keep a ``SequenceRecord`` refuse a lower one than they have seen.
    public var sequence: UInt64
    /// The time of signing; nil for an unknown one.
    public var time: ArchiveTime?
    /// Endorsements of the keys by older ones, for readers that know only these; at most 16.
    public var endorsements: [ArchiveEndorsement]
    /// The number of threads that hash the signed data.
    package var threads = 1

    /// Creates the description of a statement.
    ///
    /// - Parameters:
    ///   - keys: the keys, 1 to 16.
    ///   - series: the series, 1 to 64 bytes of UTF-8.
    ///   - sequence: the number of the edition, higher than that of the previous one.
    ///   - time: nil by default, for unknown.
    ///   - endorsements: the endorsements; none by default.
    public init(
        _ keys: [ArchiveSigningKey], series: String, sequence: UInt64, time: ArchiveTime? = nil,
        endorsements: [ArchiveEndorsement] = []
    ) {
        (self.keys, self.series, self.sequence) = (keys, series, sequence)
        (self.time, self.endorsements) = (time, endorsements)
    }

    /// Checks the counts and the name of the series.
    ///
    /// - Throws: `invalidArgument`.
    func check() throws(ArchiveError) {
        guard (1...SignedStatement.maximumCount).contains(keys.count),
            endorsements.count <= SignedStatement.maximumCount
        else {
            throw ArchiveError(
                .invalidArgument,
                "\(keys.count) keys and \(endorsements.count) endorsements; the limit is 16 of each")
        }
        guard SignedStatement.seriesLengths.contains(series.utf8.count), !series.utf8.contains(0) else {
            throw ArchiveError(
                .invalidArgument, "the series name has \(series.utf8.count) bytes; the limits are 1 and 64")
        }
    }

    /// The length of the section for the statement, in bytes.
    var sectionLength: UInt64 {
        UInt64(SignedStatement.length(signatures: keys.count, endorsements: endorsements.count))
    }

    /// Creates the statement about a root, and signs it with all keys.
    func statement(
        root: [UInt8], leafCount: UInt64, footer: CommitFooter
    ) throws(ArchiveError) -> SignedStatement {
        var statement = SignedStatement(
            root: root, leafCount: leafCount, coveredLength: footer.end, sequence: sequence,
            time: time?.nanoseconds ?? 0, commitNumber: footer.commitNumber, series: series)
        statement.endorsements = endorsements.map(\.stored)
        let message = statement.message(signatures: keys.count, endorsements: endorsements.count)
        for key in keys {
            statement.signatures.append(
                SignedStatement.Signature(key: key.publicKey.bytes, signature: try key.sign(message)))
        }
        return statement
    }
}
