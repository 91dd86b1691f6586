// SPDX-License-Identifier: Apache-2.0

import ArchiveMutation
import Editions
import FuzzSupport
import Mutation

@testable import WebArchive
@testable import WebArchiveFormat

/// A section `SIGN` alone.
enum StatementCheck {
    /// The messages that the trusted keys signed.
    private static let messages: Set<[UInt8]> = Set(
        Editions.archives.flatMap { statements(of: $0).map { Array($0[..<152]) } })

    static func run(_ bytes: [UInt8]) {
        let covered = bytes.number(at: 56, width: 8)
        let footer = CommitFooter(
            offset: covered &- 64, previousFooter: 0, commitNumber: UInt32(bytes.number(at: 80, width: 4)),
            sectionCount: 0, commitStart: 96, sectionTableChecksum: 0)
        guard covered >= 64, let statement = SignedStatement(decoding: bytes, footer: footer) else { return }
        expect(statement.encoded() == bytes, "a statement that is written otherwise")
        expect(
            (1...16).contains(statement.signatures.count) && statement.endorsements.count <= 16, "too many signatures")
        expect((1...64).contains(statement.series.utf8.count), "a series of \(statement.series.utf8.count) bytes")
        var signers = SignerCount(Editions.trust)
        do throws(ArchiveError) {
            try signers.add(statement)
        } catch {
            return expect(error.code == .limitExceeded, "\(error)")
        }
        expect(!signers.isEnough || messages.contains(Array(bytes[..<152])), "a statement that nobody signed counts")
        expect(Editions.trust.keys.isSuperset(of: signers.shown), "a signer that nobody trusts")
    }
}
