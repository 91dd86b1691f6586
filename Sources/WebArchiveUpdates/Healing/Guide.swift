// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A copy that shows the contents of a file whose own end or beginning is damaged.
struct Guide {
    /// The copy up to the last commit in use, opened with the keys that signed it.
    let archive: SignedArchive
    /// The bytes of the copy, up to the end of the last commit in use.
    let source: any ByteSource
    /// The parts of the copy that its signature can prove.
    let parts: SignedParts
    /// Whether the copy has commits after the last one of the file; they are left out.
    let isBeginning: Bool
    /// The layouts of the commits in use.
    let layouts: [StoredArchive.Layout]

    /// Opens a copy, as far as the file went.
    ///
    /// - Parameter last: the last commit of the file, as far as the file shows it.
    /// - Returns: nil if the copy does not have this commit there.
    /// - Throws: as ``SignedArchive/init(_:_:)``.
    init?(_ copy: any ByteSource, upTo last: LastCommit?, _ trust: ArchiveTrust?) throws(ArchiveError) {
        let all = try StoredArchive(ArchiveReader(source: copy)).layouts
        var source = copy
        var count = all.count
        if let last {
            guard let place = all.firstIndex(where: { last.isPossible($0.footer) }) else { return nil }
            count = place + 1
            if count < all.count { source = BeginningOfSource(copy, length: all[place].footer.end) }
        }
        archive = try SignedArchive(source, trust)
        self.source = source
        parts = SignedParts(archive.reader)
        isBeginning = count < all.count
        layouts = Array(all[..<count])
    }

    /// Whether the signature covers all commits in use.
    var isWhole: Bool { parts.coveredLength == layouts.last?.footer.end }

    /// The places that are proved when an archive is opened. The recovery slots of a copy with later commits name one of these, and are left out.
    var openedRanges: [Range<UInt64>] {
        let ranges = parts.openedRanges
        return isBeginning ? [0..<32] + ranges.dropFirst() : ranges
    }
}
