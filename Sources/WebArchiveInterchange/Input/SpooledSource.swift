// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The bytes of an input that cannot be read in any order, copied to a temporary file without a name.
struct SpooledSource: ByteSource {
    let name: String
    private let body: SpooledBody

    /// Reads the whole input.
    ///
    /// - Throws: `io` if it does not fit on the disk; errors of the input.
    init(_ input: any ByteInput) throws(ArchiveError) {
        name = input.name
        body = SpooledBody()
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var isAtEnd = false
        while !isAtEnd {
            let body = body
            isAtEnd = try buffer.withMutableBytes { (buffer) throws(ArchiveError) in
                let count = try input.read(into: buffer)
                try body.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return count == 0
            }
        }
        body.finish()
    }

    var length: UInt64 { body.length }

    func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
        guard UInt64(target.count) <= length.subtractingSaturated(offset) else {
            throw ArchiveError(.truncated, "the file is truncated", path: name, offset: length)
        }
        var done = 0
        try body.forEachBuffer(in: offset..<offset + UInt64(target.count)) { bytes throws(ArchiveError) in
            UnsafeMutableRawBufferPointer(rebasing: target[done..<done + bytes.count]).copyMemory(from: bytes)
            done += bytes.count
        }
    }
}
