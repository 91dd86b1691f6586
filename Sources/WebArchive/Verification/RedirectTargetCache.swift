// SPDX-License-Identifier: Apache-2.0

/// A cache of the strings that are known to be an absolute URL or not, for all threads of one run: any number of redirects may lead to one.
final class RedirectTargetCache: Sendable {
    private let valid: [AtomicBits]
    private let invalid: [AtomicBits]

    init(_ index: ArchiveIndex) {
        valid = index.commits.map { AtomicBits(count: $0.rowCount(.string)) }
        invalid = index.commits.map { AtomicBits(count: $0.rowCount(.string)) }
    }

    /// Returns whether a string is an absolute URL.
    func isURL(_ text: RowPlace, in index: ArchiveIndex) throws(ArchiveError) -> Bool {
        let (commit, row) = (Int(text.commit), Int(text.row))
        if valid[commit].contains(row) { return true }
        if invalid[commit].contains(row) { return false }
        let isURL = (try? CanonicalURL(utf8: try index.string(text))) != nil
        (isURL ? valid : invalid)[commit].insert(row)
        return isURL
    }
}
