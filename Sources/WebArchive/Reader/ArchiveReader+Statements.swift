// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The newest statement of an archive, without verification.
package struct LastStatement: Sendable {
    package let series: String
    package let sequence: UInt64
    /// Whether no later commit has rows.
    package let isCurrent: Bool
}

extension ArchiveReader {
    /// Reads the keys that the archive's statements name as signers, trusted or not, without verification.
    package func signingKeys() throws(ArchiveError) -> Set<ArchivePublicKey> {
        var keys: Set<ArchivePublicKey> = []
        for commit in index.commits {
            guard let statement = try SignedStatement(of: commit.sections, commit.footer, in: index.source) else {
                continue
            }
            keys.formUnion(statement.signatures.compactMap { ArchivePublicKey(bytes: $0.key) })
        }
        return keys
    }

    /// Reads the newest statement of the archive, by any signer; nil if there is none. Nothing is verified.
    ///
    /// - Returns: the statement, and whether no later commit has rows.
    package func lastStatement() throws(ArchiveError) -> LastStatement? {
        var isCurrent = true
        for commit in index.commits.reversed() {
            if let statement = try SignedStatement(of: commit.sections, commit.footer, in: index.source) {
                return LastStatement(
                    series: statement.series, sequence: statement.sequence, isCurrent: isCurrent)
            }
            isCurrent = isCurrent && IndexClass.allCases.allSatisfy { commit.rowCount($0) == 0 }
        }
        return nil
    }
}
