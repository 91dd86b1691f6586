// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A source whose first bytes were looked at, and come again.
final class StartOfInput: ByteInput {
    private let source: any ByteInput
    private var start: [UInt8] = []
    private var position = 0

    init(_ source: any ByteInput) { self.source = source }

    var name: String { source.name }
    var isPlain: Bool { source.isPlain }
    var fileOffset: UInt64 { source.fileOffset - UInt64(start.count - position) }

    /// Returns the first bytes, at most 16, without consuming them. It is called before anything is read.
    func peek() throws(ArchiveError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        var count = 0
        while count < bytes.count {
            let (from, source) = (count, source)
            let read = try bytes.withMutableBytes { (bytes) throws(ArchiveError) in
                try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[from...]))
            }
            guard read > 0 else { break }
            count += read
        }
        start = Array(bytes[..<count])
        return start
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        guard position < start.count else { return try source.read(into: buffer) }
        let count = min(buffer.count, start.count - position)
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).copyBytes(from: start[position..<position + count])
        position += count
        return count
    }

    func skipDamage() throws(ArchiveError) -> Bool { try source.skipDamage() }
}
