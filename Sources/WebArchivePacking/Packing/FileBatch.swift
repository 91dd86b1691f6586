// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchive

/// A batch of consecutive files, read and hashed together.
struct FileBatch: Sendable {
    /// A file that has been read.
    struct Item: Sendable {
        /// The number of the file in ``SourceTree/files``.
        let file: Int
        /// The MD5 of the contents.
        let digest: ContentDigest
        /// The charset for the `Content-Type` field; nil for media types without one, and if it is unknown.
        let charset: String?
        /// The URL that represents the file, which a different source may have as well.
        let url: CanonicalURL
        let contents: Contents
    }

    /// The bytes of a file, or for one that is too large for memory the checksum of each of its blocks.
    ///
    /// Such a file is read again when it is compressed, and one that is written through memory may change without a new time.
    enum Contents: Sendable {
        /// All bytes, in the buffer of the batch.
        case memory(BodySlice)
        /// The CRC of each block of the archive's block length, in order; the last block may be shorter.
        case blocks(checksums: [UInt32])
    }

    /// The files in their order.
    let items: [Item]

    /// Reads and hashes the files. Throws `io` or `changed`.
    ///
    /// - Parameters:
    ///   - buffers: the buffers of ``BatchPlan/bufferLength`` bytes each.
    ///   - blockLength: the block length of the archive, a divisor of 1 MiB.
    init(
        _ range: Range<Int>, of tree: SourceTree, urls: SiteURLs, buffers: BufferPool, blockLength: Int
    ) throws(ArchiveError) {
        if range.count == 1, tree.files[range.lowerBound].length > UInt64(buffers.length) {
            items = [try Self.large(range.lowerBound, tree, urls, blockLength)]
            return
        }
        let buffer = buffers.take()
        var slices: [BodySlice] = []
        var position = 0
        for file in range {
            let slice = BodySlice(buffer: buffer, range: position..<position + Int(tree.files[file].length))
            let open = try tree.open(file)
            try open.read(at: 0, into: UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[slice.range]))
            try open.checkUnchanged()
            position = slice.range.upperBound
            slices.append(slice)
        }
        // The slices keep their buffer alive until all digests are computed.
        let digests = withExtendedLifetime(slices) { ContentDigest.digests(of: slices.map(\.bytes)) }
        var items: [Item] = []
        items.reserveCapacity(range.count)
        for (number, file) in range.enumerated() {
            let slice = slices[number]
            items.append(
                Item(
                    file: file, digest: digests[number],
                    charset: Self.charset(slice.bytes, tree.type(file), isComplete: true),
                    url: try urls.url(of: file, in: tree),
                    contents: .memory(slice)))
        }
        self.items = items
    }

    /// Returns the charset of text; nil for other media types.
    ///
    /// - Parameter isComplete: whether the bytes are all of the file. If not, a character may be cut at the end.
    private static func charset(
        _ bytes: UnsafeRawBufferPointer, _ type: SourceTree.MediaType, isComplete: Bool
    ) -> String? {
        type.isText ? CharsetDetection.charset(of: bytes.bytes, mediaType: type.name, isComplete: isComplete) : nil
    }

    /// Reads a file that is too long for memory, a mebibyte at a time, for its digest and the checksums of its blocks.
    private static func large(
        _ file: Int, _ tree: SourceTree, _ urls: SiteURLs, _ blockLength: Int
    ) throws(ArchiveError) -> Item {
        let open = try tree.open(file)
        let buffer = SharedBuffer(1 << 20)
        var hash = Insecure.MD5()
        var charset: String?
        var checksums: [UInt32] = []
        var position: UInt64 = 0
        let length = tree.files[file].length
        while position < length {
            let count = Int(min(UInt64(buffer.bytes.count), length - position))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<count])
            try open.read(at: position, into: part)
            hash.update(bufferPointer: UnsafeRawBufferPointer(part))
            for start in stride(from: 0, to: count, by: blockLength) {
                checksums.append(
                    Checksum.of(UnsafeRawBufferPointer(rebasing: part[start..<min(start + blockLength, count)])))
            }
            if position == 0 {
                charset = Self.charset(UnsafeRawBufferPointer(part), tree.type(file), isComplete: false)
            }
            position += UInt64(count)
        }
        try open.checkUnchanged()
        let digest = hash.finalize().withUnsafeBytes { ContentDigest(rawBytes: $0) }
        return Item(
            file: file, digest: digest, charset: charset, url: try urls.url(of: file, in: tree),
            contents: .blocks(checksums: checksums))
    }
}
