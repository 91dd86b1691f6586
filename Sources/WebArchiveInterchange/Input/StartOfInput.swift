// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A source whose first bytes were looked at, and come again.
final class StartOfInput: ByteInput {
    private let source: any ByteInput
    /// The first bytes: fewer than were wanted at the end only.
    let bytes: [UInt8]
    private var position = 0

    /// - Parameter count: the number of bytes to look at.
    /// - Throws: errors of the source.
    init(_ source: any ByteInput, count: Int = 16) throws(ArchiveError) {
        self.source = source
        bytes = try Self.read(count, source)
    }

    var name: String { source.name }
    var isPlain: Bool { source.isPlain }
    var fileOffset: UInt64 { source.fileOffset - UInt64(bytes.count - position) }
    var readLength: UInt64 { source.readLength }

    /// Reads bytes; fewer than `count` at the end only.
    func take(_ count: Int) throws(ArchiveError) -> [UInt8] { try Self.read(count, self) }

    private static func read(_ count: Int, _ source: any ByteInput) throws(ArchiveError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        while length < count {
            let from = length
            let read = try bytes.withMutableBytes { (bytes) throws(ArchiveError) in
                try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[from...]))
            }
            guard read > 0 else { break }
            length += read
        }
        return Array(bytes[..<length])
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        guard position < bytes.count else { return try source.read(into: buffer) }
        let count = min(buffer.count, bytes.count - position)
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).copyBytes(from: bytes[position..<position + count])
        position += count
        return count
    }

    func skipDamage() throws(ArchiveError) -> Bool { try source.skipDamage() }
}
