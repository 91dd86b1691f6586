// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// The bytes of a file after a commit: a later edition, the beginning of an unfinished one, or bytes of no meaning.
struct FileTail {
    /// The last commit, as far as the file shows it.
    let lastCommit: LastCommit?
    /// The ends of later commits than the file shows, the last one first.
    private let laterEnds: [UInt64]

    /// Examines a file.
    ///
    /// - Parameter shown: the end of the last commit that readers find in the file; 0 for none.
    init(of file: any ByteSource, after shown: UInt64) throws(ArchiveError) {
        lastCommit = try LastCommit(of: file)
        laterEnds = try FooterSearch.ends(in: file, after: shown)
    }

    /// Finds the newest commit after the shown one that its signature proves, as is each commit before it.
    ///
    /// - Returns: its end; nil if there is none.
    func newestProvedEnd(in file: any ByteSource, _ trust: ArchiveTrust?) -> UInt64? {
        laterEnds.first { end in
            guard let signed = try? SignedArchive(BeginningOfSource(file, length: end), trust) else { return false }
            return SignedParts(signed.reader).coveredLength == end
        }
    }

    /// Returns whether the file itself shows that a commit was its last one. A writer that appends to an archive writes a slot first.
    ///
    /// Empty slots show nothing: a damaged header can have them, too.
    func shows(asLast footer: CommitFooter) -> Bool { lastCommit?.footerOffset == footer.offset }

    /// Returns whether all bytes of a file from an offset on are zero, as a copy from a device leaves them.
    static func isPadding(of file: any ByteSource, from offset: UInt64) throws(ArchiveError) -> Bool {
        var start = offset
        while start < file.length {
            let end = min(file.length, start + 1 << 20)
            guard try file.bytes(in: start..<end).allSatisfy({ $0 == 0 }) else { return false }
            start = end
        }
        return true
    }
}
