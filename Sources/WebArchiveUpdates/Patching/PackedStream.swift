// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A stream of any length in frames of at most 4 MiB, each coded against about the same position of a similar stream.
///
/// Patch specification section 2.
enum PackedStream {
    /// The length of a piece when decoded, in bytes.
    private static let pieceLength = 4 << 20
    /// The number of bytes before and after the same position that are compared.
    private static let slack = 1 << 20

    /// Appends a stream to a patch.
    ///
    /// - Parameter old: a function that returns bytes of the other stream; its length is `oldLength`.
    static func append(
        length: Int, oldLength: Int, to sink: PatchSink, _ coder: DeltaCoder, level: Int,
        bytes: (Range<Int>) throws(ArchiveError) -> [UInt8], old: (Range<Int>) throws(ArchiveError) -> [UInt8]
    ) throws(ArchiveError) {
        try sink.number(length)
        for start in stride(from: 0, to: length, by: pieceLength) {
            let prefix = try old(prefixRange(start, oldLength))
            try sink.frame(
                coder.encode(bytes(start..<min(start + pieceLength, length)), prefix: prefix, level: level))
        }
    }

    /// Appends bytes in memory to a patch, coded against others.
    static func append(
        _ bytes: [UInt8], against old: [UInt8], to sink: PatchSink, _ coder: DeltaCoder, level: Int
    ) throws(ArchiveError) {
        try append(
            length: bytes.count, oldLength: old.count, to: sink, coder, level: level,
            bytes: { range throws(ArchiveError) in Array(bytes[range]) },
            old: { range throws(ArchiveError) in Array(old[range]) })
    }

    /// Returns the range of the other stream against which the piece at an offset is coded; empty beyond its end.
    private static func prefixRange(_ start: Int, _ oldLength: Int) -> Range<Int> {
        let first = min(max(0, start - slack), oldLength)
        return first..<min(start + pieceLength + slack, oldLength)
    }

    /// Reads a stream from a patch, piece by piece.
    ///
    /// - Parameters:
    ///   - limit: the most bytes that it may have.
    ///   - old: a function that returns the same bytes as when the stream was written.
    ///   - take: a function that is called with the pieces in their order.
    static func read(
        _ input: inout PatchInput, atMost limit: UInt64, oldLength: Int, _ coder: DeltaCoder,
        old: (Range<Int>) throws(ArchiveError) -> [UInt8], take: ([UInt8]) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let length = Int(try input.number(atMost: limit))
        for start in stride(from: 0, to: length, by: pieceLength) {
            let prefix = try old(prefixRange(start, oldLength))
            let frame = try input.frame()
            try take(coder.decode(frame, prefix: prefix, length: min(pieceLength, length - start)))
        }
    }

    /// Reads a stream that is held in memory.
    ///
    /// - Throws: `damaged` for a stream that is longer than the limit, and for a frame that does not decode; `truncated`.
    static func read(
        _ input: inout PatchInput, atMost limit: UInt64, against old: [UInt8], _ coder: DeltaCoder
    ) throws(ArchiveError) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(
            &input, atMost: limit, oldLength: old.count, coder,
            old: { range throws(ArchiveError) in Array(old[range]) },
            take: { piece throws(ArchiveError) in bytes += piece })
        return bytes
    }
}
