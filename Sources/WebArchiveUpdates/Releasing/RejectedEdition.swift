// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// An edition that was rolled back, in a file beside the archive, where all updaters of the archive see it.
///
/// The file is text: the sequence, a space and the name of the series, as in a ``SequenceRecord``. It names only an edition to leave out, so that a wrong one does no more harm
/// than write access to the archive's folder does anyway.
struct RejectedEdition {
    /// The sequence of the edition. Neither this edition nor an older one of the series is installed again as long as the archive exists.
    let sequence: UInt64
    let series: String

    init(_ statement: ArchiveStatement) { (sequence, series) = (statement.sequence, statement.series) }

    /// Reads the file beside an archive; nil without one, and for a malformed file.
    init?(beside archive: FilePath) {
        guard let text = try? PrivateFile.ownText(of: Self.path(beside: archive), isSecret: false),
            // By bytes: a mark at the beginning of a name would join the space to one character.
            let line = text.utf8.split(separator: UInt8(ascii: "\n")).first,
            let space = line.firstIndex(of: UInt8(ascii: " ")), let sequence = UInt64(Substring(line[..<space])),
            let series = SeriesText.decoded(Array(line[line.index(after: space)...]))
        else { return nil }
        (self.sequence, self.series) = (sequence, series)
    }

    /// Writes the file, and replaces an existing one.
    func write(to place: FilePlace) throws(ArchiveError) {
        // Other users may update the archive as well.
        try PrivateFile.write(
            "\(sequence) \(SeriesText.encoded(series))\n", to: place,
            permissions: [.ownerReadWrite, .groupRead, .otherRead], replacing: true)
    }

    /// Opens the folder of the file beside an archive.
    ///
    /// - Throws: `io`.
    static func place(beside archive: FilePath) throws(ArchiveError) -> FilePlace {
        try FilePlace(path(beside: archive))
    }

    /// Returns the path of the file: that of the archive with `.rejected` after it.
    private static func path(beside archive: FilePath) -> FilePath { FilePath(archive.string + ".rejected") }
}
