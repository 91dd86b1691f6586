// SPDX-License-Identifier: Apache-2.0

/// The strings that were found to be an absolute URL or none, for all threads of one run: any number of redirects may lead to one.
final class JudgedTargets: Sendable {
    private let valid: [AtomicBits]
    private let invalid: [AtomicBits]

    init(_ index: ArchiveIndex) {
        valid = index.commits.map { AtomicBits(count: $0.rowCount(.string)) }
        invalid = index.commits.map { AtomicBits(count: $0.rowCount(.string)) }
    }

    /// Whether a string is an absolute URL.
    func isURL(_ text: RowPlace, in index: ArchiveIndex) throws(ArchiveError) -> Bool {
        let (commit, row) = (Int(text.commit), Int(text.row))
        if valid[commit].contains(row) { return true }
        if invalid[commit].contains(row) { return false }
        let isURL = (try? CanonicalURL(utf8: try index.string(text))) != nil
        (isURL ? valid : invalid)[commit].insert(row)
        return isURL
    }
}
