// SPDX-License-Identifier: Apache-2.0

/// The stored statement of a signed commit, with its signatures. Specification section 13.3.
///
/// Nothing is verified here: the signatures are bytes.
package struct SignedStatement: Equatable, Sendable {
    /// A signature of the statement.
    package struct Signature: Equatable, Sendable {
        /// The public key, 32 bytes.
        package var key: [UInt8]
        /// The signature of ``SignedStatement/message``, 64 bytes.
        package var signature: [UInt8]

        package init(key: [UInt8], signature: [UInt8]) { (self.key, self.signature) = (key, signature) }
    }

    /// The confirmation by an old key that a new key belongs to its owner.
    package struct Endorsement: Equatable, Sendable {
        /// The endorsed public key, 32 bytes.
        package var newKey: [UInt8]
        /// The endorsing public key, 32 bytes.
        package var oldKey: [UInt8]
        /// The old key's signature of ``Endorsement/message(for:)``, 64 bytes.
        package var signature: [UInt8]

        package init(newKey: [UInt8], oldKey: [UInt8], signature: [UInt8]) {
            (self.newKey, self.oldKey, self.signature) = (newKey, oldKey, signature)
        }

        /// The length of an endorsement, in bytes.
        package static let length = 128

        /// Returns the bytes that an old key signs to endorse a new one.
        package static func message(for newKey: [UInt8]) -> [UInt8] { Array("webarc endorsement".utf8) + newKey }
    }

    private static let label = Array("webarc statement".utf8)
    private static let messageLength = 152
    private static let seriesLength = 64
    /// The maximum number of signatures of a statement, and of endorsements. Specification section 10.
    package static let maximumCount = 16
    /// The permitted lengths of a series' name, in bytes of UTF-8.
    package static let seriesLengths = 1...seriesLength
    /// The maximum length of `SIGN`, in bytes.
    package static let maximumLength = length(signatures: maximumCount, endorsements: maximumCount)

    /// The root of the commit's tree, 32 bytes.
    package var root: [UInt8]
    /// The number of the tree's leaves.
    package var leafCount: UInt64
    /// The end of the commit, in bytes from the start of the file.
    package var coveredLength: UInt64
    /// The number of the edition in its series.
    package var sequence: UInt64
    /// The time of signing, in nanoseconds since 1970-01-01T00:00:00Z.
    package var time: Int64
    /// The number of the commit.
    package var commitNumber: UInt32
    /// The name of the series, 1 to 64 bytes of UTF-8 without zero bytes.
    package var series: String
    /// The signatures, 1 to 16.
    package var signatures: [Signature] = []
    /// The endorsements, at most 16.
    package var endorsements: [Endorsement] = []

    package init(
        root: [UInt8], leafCount: UInt64, coveredLength: UInt64, sequence: UInt64, time: Int64, commitNumber: UInt32,
        series: String
    ) {
        (self.root, self.leafCount, self.coveredLength) = (root, leafCount, coveredLength)
        (self.sequence, self.time, self.commitNumber, self.series) = (sequence, time, commitNumber, series)
    }

    /// Returns the length of `SIGN`, in bytes.
    package static func length(signatures: Int, endorsements: Int) -> Int {
        messageLength + 96 * signatures + Endorsement.length * endorsements
    }

    /// Decodes the statement of a commit; nil if the bytes break a rule of section 13.3.
    ///
    /// - Parameter footer: the footer of the commit.
    package init?(decoding bytes: [UInt8], footer: CommitFooter) {
        do throws(ArchiveError) { try self.init(cursor: ByteCursor(bytes, at: 0)) } catch { return nil }
        guard coveredLength == footer.end, commitNumber == footer.commitNumber else { return nil }
    }

    private init(cursor: ByteCursor) throws(ArchiveError) {
        var cursor = cursor
        guard try cursor.bytes(Self.label.count).elementsEqual(Self.label) else {
            throw .damaged("not a signed statement")
        }
        root = Array(try cursor.bytes(TreeShape.hashLength))
        leafCount = try cursor.integer()
        coveredLength = try cursor.integer()
        sequence = try cursor.integer()
        time = try cursor.integer()
        commitNumber = try cursor.integer()
        let counts = (
            signatures: Int(try cursor.integer(UInt16.self)), endorsements: Int(try cursor.integer(UInt16.self))
        )
        let name = try cursor.bytes(Self.seriesLength)
        let used = name.prefix { $0 != 0 }
        guard let series = String(validating: used, as: UTF8.self), !series.isEmpty,
            name[used.endIndex...].allSatisfy({ $0 == 0 })
        else { throw .damaged("invalid series name") }
        self.series = series
        guard leafCount >= 2, (1...Self.maximumCount).contains(counts.signatures),
            counts.endorsements <= Self.maximumCount
        else { throw .damaged("invalid counts in a statement") }
        for _ in 0..<counts.signatures {
            signatures.append(Signature(key: Array(try cursor.bytes(32)), signature: Array(try cursor.bytes(64))))
        }
        for _ in 0..<counts.endorsements {
            endorsements.append(
                Endorsement(
                    newKey: Array(try cursor.bytes(32)), oldKey: Array(try cursor.bytes(32)),
                    signature: Array(try cursor.bytes(64))))
        }
        guard cursor.isAtEnd else { throw .damaged("trailing bytes after the statement") }
    }

    /// Encodes the signed bytes, for a number of signatures and of endorsements.
    ///
    /// These bytes contain both numbers, so the caller states them before it makes the signatures.
    package func message(signatures: Int, endorsements: Int) -> [UInt8] {
        var sink = ByteSink()
        sink.append(Self.label)
        sink.append(root)
        sink.integer(leafCount)
        sink.integer(coveredLength)
        sink.integer(sequence)
        sink.integer(time)
        sink.integer(commitNumber)
        sink.integer(UInt16(signatures))
        sink.integer(UInt16(endorsements))
        sink.append(series.utf8)
        sink.zeros(Self.seriesLength - series.utf8.count)
        return sink.bytes
    }

    /// The bytes that the signatures cover.
    package var message: [UInt8] { message(signatures: signatures.count, endorsements: endorsements.count) }

    /// Returns the encoded section `SIGN`.
    package func encoded() -> [UInt8] {
        var sink = ByteSink()
        sink.append(message)
        for signature in signatures {
            sink.append(signature.key)
            sink.append(signature.signature)
        }
        for endorsement in endorsements {
            sink.append(endorsement.newKey)
            sink.append(endorsement.oldKey)
            sink.append(endorsement.signature)
        }
        return sink.bytes
    }
}
