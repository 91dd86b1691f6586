// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A cluster of a ZIM file: blobs that are stored together, and are read from front to back.
///
/// A cluster begins with the offsets of its blobs, one more than there are blobs, counted from the first of these offsets.
final class ZIMCluster {
    private let input: BufferedInput
    /// The length of an offset.
    private let width: UInt64
    /// The number of bytes that were consumed of the decoded content.
    private var position: UInt64 = 0
    /// - Parameters:
    ///   - range: the part of the file from the cluster on, in which it ends.
    ///   - charge: a function that is called with the numbers of stored and decoded bytes.
    /// - Throws: `unsupportedFeature` for a compression other than xz and Zstandard; `io`.
    init(
        _ source: any ByteSource, _ range: Range<UInt64>, _ decoders: ZIMDecoders,
        charge: @escaping (Int) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let information = try source.bytes(at: range.lowerBound, count: 1)[0]
        let content = RangeInput(source, range.lowerBound + 1..<range.upperBound)
        switch information & 0x0F {
        case 0, 1: input = BufferedInput(content)
        case 4: input = BufferedInput(FramedInput(content, try decoders.xz()))
        case 5: input = BufferedInput(FramedInput(content, try decoders.zstandard()))
        case let method:
            throw ArchiveError(
                .unsupportedFeature, "a cluster that is compressed by method \(method); xz and Zstandard are known",
                offset: range.lowerBound)
        }
        width = information & 0x10 == 0 ? 4 : 8
        // Stored bytes count as well: any number of empty frames can come before the first byte.
        var before = content.fileOffset
        input.charge = { count throws(ArchiveError) in
            try charge(count + Int(content.fileOffset - before))
            before = content.fileOffset
        }
    }

    /// Reads the offsets, which comes before the blobs.
    ///
    /// - Parameter numbers: the numbers of the blobs that are wanted, each once, in their order.
    /// - Returns: the places of these blobs; nil for one that the cluster does not have.
    /// - Throws: `damaged`, `truncated`, `io`; errors of the function that charges.
    func places(of numbers: [UInt32]) throws(ArchiveError) -> [Range<UInt64>?] {
        let first = try offsets(1)[0]
        guard first >= width, first % width == 0 else { throw .damaged("a cluster whose list of blobs has no end") }
        var places: [Range<UInt64>?] = []
        var (number, start) = (UInt64(0), first)
        while places.count < numbers.count, position < first {
            for end in try offsets(min((first - position) / width, UInt64(BufferedInput.maximumPeek) / width)) {
                guard end >= start else { throw .damaged("a cluster whose blobs have falling offsets") }
                if places.count < numbers.count, UInt64(numbers[places.count]) == number { places.append(start..<end) }
                (number, start) = (number + 1, end)
            }
        }
        return places + Array(repeating: nil, count: numbers.count - places.count)
    }

    /// Reads the next offsets.
    private func offsets(_ count: UInt64) throws(ArchiveError) -> [UInt64] {
        let length = Int(count * width)
        let bytes = try input.peek(length)
        guard bytes.count == length else { throw cutOff }
        var cursor = ByteCursor(Array(bytes), at: 0)
        input.consume(length)
        position += UInt64(length)
        var offsets: [UInt64] = []
        for _ in 0..<count { offsets.append(try width == 4 ? UInt64(cursor.integer(UInt32.self)) : cursor.integer()) }
        return offsets
    }

    /// Reads a blob.
    ///
    /// - Parameter place: a place from ``places(of:)``, behind those that were read before.
    /// - Throws: `damaged`, `truncated`, `io`; errors of the function that charges.
    func blob(at place: Range<UInt64>) throws(ArchiveError) -> SpooledBody {
        guard place.lowerBound >= position else { throw .damaged("a cluster whose blobs overlap") }
        let body = SpooledBody()
        try take(place.lowerBound - position) { _ in }
        try take(place.upperBound - place.lowerBound) { bytes throws(ArchiveError) in try body.append(bytes) }
        body.finish()
        return body
    }

    private func take(
        _ count: UInt64, _ work: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let taken = try input.take(count, work)
        position += taken
        guard taken == count else { throw cutOff }
    }

    private var cutOff: ArchiveError { ArchiveError(.truncated, "a cluster that ends before its blobs") }
}

/// The decoders of clusters: one of each kind serves all clusters.
final class ZIMDecoders {
    private var xzStream: XZStream?
    private var zstandardStream: ZstandardStream?

    func xz() throws(ArchiveError) -> XZStream {
        if let xzStream { return xzStream }
        let decoder = try XZStream()
        xzStream = decoder
        return decoder
    }

    func zstandard() throws(ArchiveError) -> ZstandardStream {
        if let zstandardStream { return zstandardStream }
        // Windows up to 128 MiB: other ones take an option of zstd as well.
        let decoder = try ZstandardStream(windowLog: 27)
        zstandardStream = decoder
        return decoder
    }
}
