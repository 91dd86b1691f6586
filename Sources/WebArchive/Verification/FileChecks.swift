// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A check of the parts around the rows against the specification: tail, recovery slots, sections and index pages.
///
/// It does not repeat checks that opening an archive makes. Specification sections 3, 4 and 9.
struct FileChecks {
    let archive: ArchiveReader

    private var commits: [CommitIndex] { archive.index.commits }

    func run(into log: inout FindingLog) {
        if archive.isLastCommitDamaged {
            log.add(
                .damaged(
                    "the last commit is damaged or truncated, and ignored; fetch or copy the file again",
                    offset: archive.fileLength - archive.tornTail))
        } else if archive.tornTail > 0 {
            log.add(
                VerificationFinding(
                    .tornTail, .warning,
                    "\(archive.tornTail) bytes after the last complete commit: a writer did not finish",
                    offset: archive.fileLength - archive.tornTail))
        }
        checkRecoverySlots(into: &log)
        for commit in commits {
            checkSections(of: commit, into: &log)
            commit.pages?.check(afterSome: archive.index.trimPages) { log.add($0) }
        }
    }

    /// Whether there are commits after the newest trusted one, which are not checked.
    private var hasLaterCommits: Bool {
        archive.fileLength - archive.tornTail > commits.last?.footer.end ?? 0
    }

    private func checkRecoverySlots(into log: inout FindingLog) {
        let header = archive.index.header
        for (number, slot) in header.recoverySlots.enumerated() {
            let place = RecoverySlot.offset(beforeCommit: UInt32(number) + 1)
            func warn(_ message: String) {
                log.add(VerificationFinding(.recoverySlot, .warning, message, offset: place))
            }
            if header.damagedSlots.contains(number) {
                warn("recovery slot \(number) does not match its checksum")
            } else if let slot {
                if hasLaterCommits, slot.commitNumber >= commits.count { continue }
                let commit = commits.first { $0.footer.commitNumber == slot.commitNumber }
                if commit?.footer.offset != slot.footerOffset {
                    warn("recovery slot \(number) points to a missing commit")
                }
            }
        }
        let expected = commits.count - 2
        guard expected >= 0, !hasLaterCommits, !header.damagedSlots.contains(expected % 2) else { return }
        if header.recoverySlots[expected % 2]?.commitNumber != UInt32(expected) {
            let place = RecoverySlot.offset(beforeCommit: UInt32(expected) + 1)
            log.add(
                VerificationFinding(
                    .recoverySlot, .warning, "no recovery slot points to commit \(expected)", offset: place))
        }
    }

    private func checkSections(of commit: CommitIndex, into log: inout FindingLog) {
        var end = commit.footer.commitStart
        for extent in commit.sections.sections.map(\.extent) {
            warnOfGap(from: end, to: extent.offset, into: &log)
            end = extent.end
        }
        warnOfGap(from: end, to: commit.footer.sectionTableOffset, into: &log)
        if commit.blocks.length > 0, commit.rowCount(.block) == 0 {
            log.add(
                VerificationFinding(
                    .unusedBytes, .warning, "\(commit.blocks.length) bytes of BLKS are not covered by a block",
                    offset: commit.blocks.offset))
        }
    }

    private func warnOfGap(from start: UInt64, to end: UInt64, into log: inout FindingLog) {
        guard end > start else { return }
        log.add(
            VerificationFinding(.unusedBytes, .warning, "\(end - start) bytes outside any section", offset: start)
        )
    }
}
