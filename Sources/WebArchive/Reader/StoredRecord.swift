// SPDX-License-Identifier: Apache-2.0

/// A record of a WARC file in an archive: a handle, whose parts are read and checked on access. Specification section 7, "Record".
public struct StoredRecord: Sendable {
    private let place: RowPlace
    private let archive: ArchiveReader

    init(_ place: RowPlace, of archive: ArchiveReader) { (self.place, self.archive) = (place, archive) }

    private var index: ArchiveIndex { archive.index }

    /// The record without its block.
    ///
    /// - Throws: `damaged` or `io`.
    public var record: ArchiveRecord {
        get throws(ArchiveError) {
            let headers = try HeaderDecoder(index: index, entry: place).fields(
                of: place, .recordHeaders, fill: .recordFill)
            let part = try index.commit(place).integer(.recordPart, Int(place.row))
            let end = try index.string(.recordEnd, place)
            if let end { try index.budget?.take(end.count) }
            return try ArchiveRecord(
                version: index.text(.recordVersion, place) ?? ArchiveRecord.defaultVersion, headers: headers,
                part: ArchiveRecord.Part(rawValue: Int(clamping: part)) ?? .unknown,
                end: end.map(Array.init))
        }
    }

    /// The version line, named fields and empty line as they were; nil if they are the serialised head (section 7.1).
    public var head: ArchiveBody? {
        get throws(ArchiveError) { try index.row(.recordHead, place).mapTyped(archive.body) }
    }

    /// The block; nil if it is that of ``exchange``, or is not in the archive.
    public var block: ArchiveBody? {
        get throws(ArchiveError) { try index.row(.recordBlock, place).mapTyped(archive.body) }
    }

    /// The exchange in which the content of the block is kept; nil if there is none.
    public var exchange: ArchiveEntry? {
        get throws(ArchiveError) { try index.row(.recordEntry, place).map { ArchiveEntry($0, of: archive) } }
    }
}

/// A page of an archive's list of pages. Specification section 7, "Page".
public struct StoredPage: Sendable {
    private let place: RowPlace
    private let archive: ArchiveReader

    init(_ place: RowPlace, of archive: ArchiveReader) { (self.place, self.archive) = (place, archive) }

    /// The page without its text and picture.
    ///
    /// - Throws: `damaged` for a page without an URL, or a status or depth out of range; `io`.
    public var page: ArchivePage {
        get throws(ArchiveError) {
            let (index, row) = (archive.index, Int(place.row))
            let commit = index.commit(place)
            guard let url = try index.text(.pageURL, place) else { throw commit.damaged("missing URL", .pageURL, row) }
            return try ArchivePage(
                url: url, time: ArchiveTime(nanoseconds: commit.integer(.pageTime, row)),
                title: index.text(.pageTitle, place), status: commit.count(.pageStatus, row, atMost: 999),
                isSeed: commit.integer(.pageSeed, row) == 1,
                depth: commit.count(.pageDepth, row, atMost: Int(UInt32.max)))
        }
    }

    /// The text of the document, UTF-8; nil if the archive has none.
    public var text: ArchiveBody? {
        get throws(ArchiveError) { try archive.index.row(.pageText, place).mapTyped(archive.body) }
    }

    /// A picture of the document, a PNG; nil if the archive has none.
    public var screenshot: ArchiveBody? {
        get throws(ArchiveError) { try archive.index.row(.pageScreenshot, place).mapTyped(archive.body) }
    }
}

extension ArchiveReader {
    /// The number of records of WARC files, in all commits. Specification section 7, "Record".
    public var recordCount: Int { index.rowCount(.record) }

    /// The number of pages in the list of pages. Specification section 7, "Page".
    public var pageCount: Int { index.rowCount(.page) }

    /// Returns a record, in the order of the file from which it came. Reads nothing.
    ///
    /// - Parameter number: the number of the record, from 0 to ``recordCount`` - 1.
    public func record(_ number: Int) -> StoredRecord {
        guard let place = index.place(.record, row: number) else { preconditionFailure("no record \(number)") }
        return StoredRecord(place, of: self)
    }

    /// Returns a page, in the order of the list. Reads nothing.
    ///
    /// - Parameter number: the number of the page, from 0 to ``pageCount`` - 1.
    public func page(_ number: Int) -> StoredPage {
        guard let place = index.place(.page, row: number) else { preconditionFailure("no page \(number)") }
        return StoredPage(place, of: self)
    }
}
