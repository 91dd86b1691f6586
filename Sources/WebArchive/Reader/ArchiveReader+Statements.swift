// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

extension ArchiveReader {
    /// Reads the newest statement that the archive holds, whoever signed it; nil if there is none. Nothing is proved.
    ///
    /// - Returns: what it says, and whether no later commit has rows.
    package func lastStatement() throws(ArchiveError) -> (series: String, sequence: UInt64, isCurrent: Bool)? {
        var isCurrent = true
        for commit in index.commits.reversed() {
            if let statement = try SignedStatement(of: commit.sections, commit.footer, in: index.source) {
                return (statement.series, statement.sequence, isCurrent)
            }
            isCurrent = isCurrent && IndexClass.allCases.allSatisfy { commit.rowCount($0) == 0 }
        }
        return nil
    }
}
