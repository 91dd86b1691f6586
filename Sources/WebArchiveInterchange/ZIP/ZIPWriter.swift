// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A writer of a ZIP file in one pass, whose members are stored as they are. APPNOTE section 4.3.
///
/// The same members give the same bytes: all have the time 1980-01-01, the first that the format has.
final class ZIPWriter {
    private struct Entry {
        let name: [UInt8]
        let offset: UInt64
        var length: UInt64 = 0
        var checksum: UInt32 = 0
        /// Whether the length and the checksum come behind the content.
        let isStreamed: Bool
    }

    private let sink: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    private var position: UInt64 = 0
    private var entries: [Entry] = []

    /// The version that is needed to read 64-bit numbers, and the one for all other members.
    private static let wideVersion: UInt16 = 45
    private static let version: UInt16 = 20
    /// The first date of the format: 1 January 1980.
    private static let date: UInt16 = 1 << 5 | 1
    /// The system of the attributes, which is Unix, and those of a regular file that all can read.
    private static let system: UInt16 = 3 << 8
    private static let attributes: UInt32 = 0o100_644 << 16

    /// - Parameter sink: a function that takes the bytes in their order.
    init(_ sink: @escaping (UnsafeRawBufferPointer) throws(ArchiveError) -> Void) { self.sink = sink }

    /// Adds a member whose content is known.
    func add(_ name: String, _ content: SpooledBody) throws(ArchiveError) {
        var checksum = RunningChecksum()
        try content.forEachBuffer { bytes throws(ArchiveError) in checksum.update(bytes) }
        let entry = Entry(
            name: Array(name.utf8), offset: position, length: content.length, checksum: checksum.value,
            isStreamed: false)
        try write(Self.localHeader(entry))
        try content.forEachBuffer(write)
        entries.append(entry)
    }

    /// Adds a member whose length is not known before its content was written. The length comes behind it.
    ///
    /// - Parameter content: a function that writes the content through the function that it gets.
    func add(
        _ name: String,
        _ content: (@escaping (UnsafeRawBufferPointer) throws(ArchiveError) -> Void) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        var entry = Entry(name: Array(name.utf8), offset: position, isStreamed: true)
        try write(Self.localHeader(entry))
        let (start, running) = (position, Running())
        try content { [self] bytes throws(ArchiveError) in
            running.checksum.update(bytes)
            try write(bytes)
        }
        (entry.length, entry.checksum) = (position - start, running.checksum.value)
        var descriptor = ByteSink()
        descriptor.integer(ZIPSignature.descriptor)
        descriptor.integer(entry.checksum)
        for _ in 0..<2 { descriptor.integer(entry.length) }
        try write(descriptor.bytes)
        entries.append(entry)
    }

    private final class Running { var checksum = RunningChecksum() }

    /// Writes the directory.
    func finish() throws(ArchiveError) {
        let start = position
        for entry in entries { try write(Self.directoryEntry(entry)) }
        let length = position - start
        var end = ByteSink()
        if entries.count >= UInt16.max || length >= UInt32.max || start >= UInt32.max {
            let place = position
            end.integer(ZIPSignature.wideEnd)
            end.integer(UInt64(44))
            end.integer(Self.system | Self.wideVersion)
            end.integer(Self.wideVersion)
            end.zeros(8)
            for number in [UInt64(entries.count), UInt64(entries.count), length, start] { end.integer(number) }
            end.integer(ZIPSignature.locator)
            end.zeros(4)
            end.integer(place)
            end.integer(UInt32(1))
        }
        end.integer(ZIPSignature.end)
        end.zeros(4)
        for _ in 0..<2 { end.integer(UInt16(clamping: entries.count)) }
        end.integer(UInt32(clamping: length))
        end.integer(UInt32(clamping: start))
        end.zeros(2)
        try write(end.bytes)
    }

    // MARK: - Headers

    private static func localHeader(_ entry: Entry) -> [UInt8] {
        let isWide = entry.isStreamed || entry.length >= UInt32.max
        var header = ByteSink()
        header.integer(ZIPSignature.local)
        appendCommon(entry, isWide: isWide, to: &header)
        // Behind a streamed member the length has 64 bits exactly if this field is here (APPNOTE section 4.3.9.2).
        header.integer(UInt16(isWide ? 20 : 0))
        header.append(entry.name)
        if isWide {
            header.integer(UInt16(1))
            header.integer(UInt16(16))
            for _ in 0..<2 { header.integer(entry.length) }
        }
        return header.bytes
    }

    private static func directoryEntry(_ entry: Entry) -> [UInt8] {
        let isLong = entry.length >= UInt32.max
        var extra = ByteSink()
        if isLong { for _ in 0..<2 { extra.integer(entry.length) } }
        if entry.offset >= UInt32.max { extra.integer(entry.offset) }
        var header = ByteSink()
        header.integer(ZIPSignature.directory)
        header.integer(system | wideVersion)
        appendCommon(entry, isWide: isLong, to: &header)
        header.integer(UInt16(extra.bytes.isEmpty ? 0 : extra.bytes.count + 4))
        header.zeros(6)
        header.integer(attributes)
        header.integer(UInt32(clamping: entry.offset))
        header.append(entry.name)
        if !extra.bytes.isEmpty {
            header.integer(UInt16(1))
            header.integer(UInt16(extra.bytes.count))
            header.append(extra.bytes)
        }
        return header.bytes
    }

    /// Appends the fields that local headers and the directory have in common.
    private static func appendCommon(_ entry: Entry, isWide: Bool, to header: inout ByteSink) {
        header.integer(isWide || entry.isStreamed || entry.offset >= UInt32.max ? wideVersion : version)
        header.integer(UInt16(entry.isStreamed ? 1 << 3 : 0))
        header.zeros(2 + 2)
        header.integer(date)
        header.integer(entry.checksum)
        for _ in 0..<2 { header.integer(isWide ? UInt32.max : UInt32(clamping: entry.length)) }
        header.integer(UInt16(entry.name.count))
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        try sink(bytes)
        position += UInt64(bytes.count)
    }

    private func write(_ bytes: [UInt8]) throws(ArchiveError) {
        try bytes.withBytes { (bytes) throws(ArchiveError) in try write(bytes) }
    }
}
