// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchiveFormat

/// A check that proves every leaf of an archive that was opened with keys. Specification section 13.
struct TrustChecks {
    let archive: ArchiveReader

    func run(_ parallel: ParallelWork, into log: inout FindingLog) {
        if archive.untrustedCommitCount > 0 {
            let commits =
                archive.untrustedCommitCount == 1 ? "1 commit is" : "\(archive.untrustedCommitCount) commits are"
            log.add(
                VerificationFinding(
                    .untrustedCommits, .warning,
                    "\(commits) not signed by the trusted keys, and ignored",
                    offset: archive.index.commits.last?.footer.end))
        }
        for commit in archive.index.commits {
            guard let proof = commit.proof else { continue }
            do throws(ArchiveError) {
                let leaves = try proof.layout.leaves(blocks: commit.blockOffsets())
                LeafHasher(threads: parallel.threads).run(leaves, in: archive.index.source) { number, result in
                    do throws(ArchiveError) {
                        try proof.check(leaves[number], number, hash: result.get())
                    } catch {
                        log.add(error)
                    }
                }
            } catch {
                log.add(error)
            }
        }
    }
}
