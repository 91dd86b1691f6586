// SPDX-License-Identifier: Apache-2.0

extension ArchiveReader {
    /// Lists the origins of entries (RFC 6454 section 4): scheme, host and port, such as `https://example.org`.
    ///
    /// URLs without a host are left out, and a user's name before the host is kept. Takes a few lookups for each
    /// origin, however many entries it has, and memory for the origins.
    ///
    /// - Returns: the origins in the order of their bytes, without a slash at the end.
    /// - Throws: `damaged` or `io`; `limitExceeded` beyond the decoding limit of one pass over the entries (specification
    ///   section 10).
    public func origins() throws(ArchiveError) -> [String] {
        try originCounts(atMost: .max).counts.keys.sorted { $0.lexicographicallyPrecedes($1) }.map {
            String(untrusted: $0)
        }
    }

    /// Counts the entries of each origin, as ``origins()`` finds them.
    ///
    /// - Parameter limit: the number of origins after which no more are searched. Keys whose origin is known, or that have none, count as well: no
    ///   more than twice as many keys are looked at.
    /// - Returns: the numbers by origins, and whether these are all.
    /// - Throws: as ``origins()``.
    package func originCounts(
        atMost limit: Int
    ) throws(ArchiveError) -> (counts: [[UInt8]: Int], isComplete: Bool) {
        var counts: [[UInt8]: Int] = [:]
        // A user's name before the host makes any number of keys for one origin.
        var left = limit.multipliedReportingOverflow(by: 2).overflow ? Int.max : 2 * limit
        let limited = limitedToOnePass().index
        for (number, commit) in index.commits.enumerated() {
            // Steps of a search among the keys.
            let steps = Int.bitWidth - commit.entryCount.leadingZeroBitCount
            var row = 0
            while row < commit.entryCount {
                guard counts.count < limit, left > 0 else { return (counts, false) }
                left -= 1
                let key = try limited.key(RowPlace(commit: UInt32(number), row: UInt32(row)))
                guard let url = try? CanonicalURL(utf8: key), url.host != nil else {
                    row += 1
                    continue
                }
                // Userinfo is not a part of an origin (RFC 6454 section 4).
                let port = url.port.map { ":\($0)" } ?? ""
                let origin = Array(url.scheme) + Array("://".utf8) + Array(url.host ?? []) + Array(port.utf8)
                let first = row
                // All its URLs continue with a slash, which this is next to.
                let next = Array(url.root) + [.ascii("/") + 1]
                try limited.budget?.take((next.count + DecodingBudget.valueCost) * steps)
                row = max(row + 1, try next.withBytes { (key) throws(ArchiveError) in try commit.lowerBound(key) })
                counts[origin, default: 0] += row - first
            }
        }
        return (counts, true)
    }
}
