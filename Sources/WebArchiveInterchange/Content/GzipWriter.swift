// SPDX-License-Identifier: Apache-2.0

import CZlib
import WebArchive

/// An encoder of gzip members (RFC 1952), one after another: short ones as a whole, and longer ones piece by piece.
final class GzipWriter {
    // zlib keeps the address of the stream, so it stays where it is.
    private let stream: UnsafeMutablePointer<z_stream>
    private var output = [UInt8](repeating: 0, count: 1 << 16)
    private let whole: WholeMemberEncoder
    /// The bytes of the present member, as long as they are few.
    private var waiting: [UInt8] = []
    /// Whether the present member is compressed piece by piece.
    private var isLong = false
    private let sink: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void

    /// The maximum length of a member that is compressed as a whole, in bytes.
    private static let maximumWholeLength = 1 << 20

    /// - Parameters:
    ///   - level: the level of compression, 1 to 9.
    ///   - sink: a function that takes the compressed bytes.
    /// - Throws: `limitExceeded` without memory.
    init(level: Int32, _ sink: @escaping (UnsafeRawBufferPointer) throws(ArchiveError) -> Void) throws(ArchiveError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard webarchive_gzip_begin(stream, level) == Z_OK else {
            stream.deallocate()
            throw ArchiveError(.limitExceeded, "no memory for compressing")
        }
        self.stream = stream
        self.sink = sink
        whole = try WholeMemberEncoder(level: level)
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses bytes into the present member.
    func write(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        if !isLong, waiting.count + bytes.count <= Self.maximumWholeLength { return waiting.append(contentsOf: bytes) }
        if !isLong {
            isLong = true
            try waiting.withBytes { (bytes) throws(ArchiveError) in try stream(bytes) }
            waiting.removeAll(keepingCapacity: true)
        }
        try stream(bytes)
    }

    private func stream(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        var rest = bytes
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            try run(part, Z_NO_FLUSH)
            rest = UnsafeRawBufferPointer(rebasing: rest[part.count...])
        }
    }

    /// Ends the member. The next bytes begin another one.
    func endMember() throws(ArchiveError) {
        guard isLong else {
            try whole.member(waiting).withBytes { (bytes) throws(ArchiveError) in try sink(bytes) }
            return waiting.removeAll(keepingCapacity: true)
        }
        isLong = false
        try run(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH)
        deflateReset(stream)
    }

    private func run(_ input: UnsafeRawBufferPointer, _ flush: Int32) throws(ArchiveError) {
        // zlib reads these bytes, and writes the output, only during the calls below.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(input.count)
        let (stream, sink) = (stream, sink)
        var isFull = true
        while isFull {
            isFull = try output.withMutableBytes { (output) throws(ArchiveError) in
                stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_out = UInt32(output.count)
                deflate(stream, flush)
                let left = Int(stream.pointee.avail_out)
                try sink(UnsafeRawBufferPointer(rebasing: output[..<(output.count - left)]))
                return left == 0
            }
        }
    }
}
