// SPDX-License-Identifier: Apache-2.0

import Editions
import FuzzSupport
import SystemPackage

@testable import WebArchive

/// Records of sequences: what is read is kept when a record is raised, and no sequence falls.
enum SequenceCheck {
    static func run(_ bytes: [UInt8]) {
        let record = SequenceRecord(path: ScratchFolder.write("sequences", bytes))
        let before: [String: UInt64]
        do throws(ArchiveError) {
            before = try record.sequences()
        } catch {
            return expect(error.code == .damaged, "not an error of the record: \(error)")
        }
        for archive in Editions.signed.values {
            guard let statement = archive.statement else { continue }
            _ = ScratchFolder.write("sequences", bytes)
            raise(record, to: statement, before)
        }
    }

    private static func raise(_ record: SequenceRecord, to statement: ArchiveStatement, _ before: [String: UInt64]) {
        let highest = before[statement.series] ?? 0
        do throws(ArchiveError) {
            try record.raise(to: statement, of: "an edition")
            expect(statement.sequence >= highest, "edition \(statement.sequence) is accepted behind \(highest)")
            let after = try record.sequences()
            expect(
                after == before.merging([statement.series: statement.sequence]) { max($0, $1) },
                "another record than was written")
        } catch {
            expect(
                error.code == .untrusted && statement.sequence < highest || error.code == .limitExceeded,
                "edition \(statement.sequence) behind \(highest): \(error)")
        }
    }
}
