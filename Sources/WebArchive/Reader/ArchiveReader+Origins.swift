// SPDX-License-Identifier: Apache-2.0

extension ArchiveReader {
    /// The origins that entries have: scheme, host and port, such as `https://example.org`, in the order of their bytes. URLs without a host are
    /// left out.
    ///
    /// Takes a few lookups for each origin, however many entries it has.
    ///
    /// - Throws: `damaged` or `io`.
    public func origins() throws(ArchiveError) -> [String] {
        var origins: Set<[UInt8]> = []
        let limited = limitedToOnePass().index
        for (number, commit) in index.commits.enumerated() {
            var row = 0
            while row < commit.entryCount {
                let key = try limited.key(RowPlace(commit: UInt32(number), row: UInt32(row)))
                guard let url = try? CanonicalURL(utf8: key), url.host != nil else {
                    row += 1
                    continue
                }
                origins.insert(Array(url.root))
                // All its URLs go on with a slash, which this is next to.
                let next = Array(url.root) + [.ascii("/") + 1]
                row = max(row + 1, try next.withBytes { (key) throws(ArchiveError) in try commit.lowerBound(key) })
            }
        }
        return origins.sorted { $0.lexicographicallyPrecedes($1) }.map { String(untrusted: $0) }
    }
}
