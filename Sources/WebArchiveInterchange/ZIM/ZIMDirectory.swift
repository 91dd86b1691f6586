// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The entries of a ZIM file, by their numbers and by their offsets.
///
/// Writers store entries one after another, so that a window of the file has the next ones.
final class ZIMDirectory {
    private let source: any ByteSource
    private let header: ZIMHeader
    private let charge: (Int) throws(ArchiveError) -> Void
    private var window: [UInt8] = []
    private var windowStart: UInt64 = 0

    private static let windowLength = 64 << 10
    /// The number of bytes that are read of an entry that is not the next one: most have less.
    private static let shortLength = 512
    private static let listPieceLength = 8192

    /// - Parameter charge: a function that is called with the numbers of bytes that are read: a hostile directory has one entry any number of times.
    init(_ source: any ByteSource, _ header: ZIMHeader, charge: @escaping (Int) throws(ArchiveError) -> Void) {
        (self.source, self.header, self.charge) = (source, header, charge)
    }

    /// Calls a function with the offset of each entry, in the order of the paths.
    func forEachOffset(_ work: (UInt64) throws(ArchiveError) -> Void) throws(ArchiveError) {
        var number = 0
        while number < Int(header.entryCount) {
            let count = min(Self.listPieceLength, Int(header.entryCount) - number)
            let place = header.entryListOffset + UInt64(number) * 8
            var cursor = ByteCursor(try source.bytes(at: place, count: count * 8), at: place)
            for _ in 0..<count { try work(cursor.integer()) }
            number += count
        }
    }

    /// Returns the entry with a number.
    ///
    /// - Throws: `damaged` if there is none; `io`; errors of the function that charges.
    func entry(_ number: UInt32) throws(ArchiveError) -> ZIMEntry {
        guard number < header.entryCount else {
            throw .damaged("a reference to entry \(number) of \(header.entryCount)")
        }
        let place = header.entryListOffset + UInt64(number) * 8
        var cursor = ByteCursor(try source.bytes(at: place, count: 8), at: place)
        return try entry(at: cursor.integer())
    }

    /// Returns the entry at an offset.
    ///
    /// - Throws: as ``entry(_:)``.
    func entry(at offset: UInt64) throws(ArchiveError) -> ZIMEntry {
        let windowEnd = windowStart + UInt64(window.count)
        if offset >= windowStart, offset < windowEnd,
            let entry = ZIMEntry(window[Int(offset - windowStart)...], at: offset)
        {
            // It is parsed each time that it is listed.
            try charge(entry.path.count)
            return entry
        }
        guard offset < source.length else { throw .damaged("an entry lies outside the ZIM file", offset: offset) }
        let isNext = offset >= windowStart && offset < windowEnd + UInt64(Self.shortLength)
        for length in [isNext ? Self.windowLength : Self.shortLength, ZIMEntry.maximumLength] {
            let count = Int(min(UInt64(length), source.length - offset))
            try charge(count)
            (window, windowStart) = (try source.bytes(at: offset, count: count), offset)
            if let entry = ZIMEntry(window[...], at: offset) { return entry }
        }
        throw .damaged("an entry has no end, or more than \(ZIMEntry.maximumLength) bytes", offset: offset)
    }

    /// Follows redirects.
    ///
    /// - Returns: the entry to which they lead; nil for a circle, or a way of more than 32 of them.
    /// - Throws: as ``entry(_:)``.
    func target(of entry: ZIMEntry) throws(ArchiveError) -> ZIMEntry? {
        var entry = entry
        for _ in 0..<32 {
            guard case .redirect(let number) = entry.content else { return entry }
            entry = try self.entry(number)
        }
        return nil
    }
}
