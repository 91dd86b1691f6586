// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The content of a ``SequenceRecord``, and its text.
struct SequenceRecordText: Equatable {
    /// The newest seen edition of a series.
    struct Edition: Equatable {
        /// The number below which editions are refused.
        var sequence: UInt64
        /// The root that identifies the edition; nil in records of programs that kept none.
        var root: [UInt8]?
    }

    /// The newest editions, by the names of their series.
    var editions: [String: Edition] = [:]
    /// The revoked keys.
    var revokedKeys: Set<ArchivePublicKey> = []

    /// Creates the content of a missing record.
    init() {}

    /// Reads the content.
    ///
    /// - Parameter path: the path of the record, for errors.
    /// - Throws: `damaged` for a malformed line.
    init(_ text: String, path: String) throws(ArchiveError) {
        for (number, line) in text.utf8.split(separator: UInt8(ascii: "\n")).enumerated() {
            // By bytes: a mark at the beginning of a name would join the space to one character.
            let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map { Array($0) }
            guard add(parts) else {
                throw ArchiveError(
                    .damaged,
                    "invalid line \(number + 1); restore the file from a backup: without it, revoked keys are trusted until the next list is read",
                    path: path)
            }
        }
    }

    /// Adds a line; returns false for a malformed one.
    private mutating func add(_ parts: [[UInt8]]) -> Bool {
        guard (2...3).contains(parts.count) else { return false }
        if parts[0].elementsEqual(Self.revoked) {
            guard parts.count == 2, let key = try? ArchivePublicKey(text: String(decoding: parts[1], as: UTF8.self))
            else { return false }
            revokedKeys.insert(key)
            return true
        }
        guard let sequence = UInt64(String(decoding: parts[0], as: UTF8.self)),
            let series = SeriesText.decoded(parts[1])
        else { return false }
        var edition = Edition(sequence: sequence)
        if parts.count == 3 {
            guard let root = parts[2].decodedHexadecimal, root.count == 32 else { return false }
            edition.root = root
        }
        if let other = editions[series], other.sequence > sequence { return true }
        editions[series] = edition
        return true
    }

    /// Compares the sequence of an archive with that of its series.
    ///
    /// - Parameter name: the name of the archive, for errors.
    /// - Throws: `untrusted` if it is lower.
    func check(_ statement: ArchiveStatement, of name: String) throws(ArchiveError) {
        guard let newest = editions[statement.series], statement.sequence < newest.sequence else { return }
        throw ArchiveError(
            .untrusted,
            "edition \(statement.sequence) of \(statement.series) is older than the recorded edition \(newest.sequence)",
            path: name)
    }

    /// Returns whether an archive has the content of the last seen edition of its series.
    func holds(_ statement: SignedStatement) -> Bool { editions[statement.series]?.root == statement.root }

    /// The text: a line for each edition and each key, in the order of their bytes.
    var text: String {
        let editions = editions.sorted { $0.key < $1.key }.map { series, edition in
            let root = edition.root.map { " " + $0.hexadecimalDigits } ?? ""
            return "\(edition.sequence) \(SeriesText.encoded(series))\(root)\n"
        }
        let keys = revokedKeys.map(\.description).sorted().map {
            "\(String(decoding: Self.revoked, as: UTF8.self)) \($0)\n"
        }
        return editions.joined() + keys.joined()
    }

    private static let revoked = "revoked".utf8
}
