// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchiveFormat

/// A part of a file that a leaf of a tree represents. Specification section 13.1.
struct Leaf: Sendable {
    /// The type of the section, or that of a commit's end.
    let kind: SectionTable.Kind
    /// The extent in the file.
    let extent: FileExtent
}

/// A hasher of many leaves, on several threads and in large reads.
struct LeafHasher: Sendable {
    /// The number of threads that hash at once.
    let threads: Int

    /// The number of bytes that are read at once, unless a leaf is longer.
    private static let readLength = 1 << 20

    /// Hashes leaves of a file, and returns the results in their order.
    ///
    /// - Parameters:
    ///   - leaves: the leaves of at most 1 MiB each.
    ///   - progress: a function that is called now and then with the bytes done, from any thread.
    ///   - take: a function that is called with the number of a leaf, and its hash or the error that reading it met.
    func run(
        _ leaves: [Leaf], in source: any ByteSource, progress: @Sendable (Int) -> Void = { _ in },
        _ take: (Int, Result<SHA256Digest, ArchiveError>) -> Void
    ) {
        let batches = Self.batches(leaves)
        ParallelWork(threads: threads).run(
            batches.count, state: { ScratchBuffer(Self.readLength) },
            work: { buffer, number in
                let batch = batches[number]
                defer { progress(leaves[batch].reduce(0) { $0 + Int($1.extent.length) }) }
                return (batch, Self.hashes(leaves[batch], in: source, &buffer))
            },
            merge: { (batch: Range<Int>, hashes: [Result<SHA256Digest, ArchiveError>]) in
                for (leaf, hash) in zip(batch, hashes) { take(leaf, hash) }
            })
    }

    /// Hashes leaves of a file.
    ///
    /// - Returns: the hashes in the order of the leaves, one after the other.
    /// - Throws: the first error of reading.
    func hashes(_ leaves: [Leaf], in source: any ByteSource) throws(ArchiveError) -> [UInt8] {
        var (hashes, failure) = ([UInt8](), ArchiveError?.none)
        hashes.reserveCapacity(leaves.count * TreeShape.hashLength)
        run(leaves, in: source) { _, result in
            switch result {
            case .success(let hash): hashes += hash
            case .failure(let error): failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return hashes
    }

    /// Returns batches of adjacent leaves that are read at once.
    private static func batches(_ leaves: [Leaf]) -> [Range<Int>] {
        var batches: [Range<Int>] = []
        var (start, length) = (0, 0)
        for (number, leaf) in leaves.enumerated() {
            let isAdjacent = number > start && leaves[number - 1].extent.end == leaf.extent.offset
            if number > start, !isAdjacent || length + Int(leaf.extent.length) > readLength {
                batches.append(start..<number)
                (start, length) = (number, 0)
            }
            length += Int(leaf.extent.length)
        }
        if start < leaves.count { batches.append(start..<leaves.count) }
        return batches
    }

    private static func hashes(
        _ leaves: ArraySlice<Leaf>, in source: any ByteSource, _ buffer: inout ScratchBuffer
    ) -> [Result<SHA256Digest, ArchiveError>] {
        guard let first = leaves.first?.extent.offset, let end = leaves.last?.extent.end else { return [] }
        if let hashes = try? hashes(leaves, first..<end, in: source, &buffer) { return hashes.map { .success($0) } }
        // A failed large read does not show which leaves are lost; small reads do.
        return leaves.map { leaf in
            Result { () throws(ArchiveError) in
                try hashes([leaf], leaf.extent.offset..<leaf.extent.end, in: source, &buffer)[0]
            }
        }
    }

    private static func hashes(
        _ leaves: ArraySlice<Leaf>, _ range: Range<UInt64>, in source: any ByteSource, _ buffer: inout ScratchBuffer
    ) throws(ArchiveError) -> [SHA256Digest] {
        let bytes: UnsafeRawBufferPointer
        if let mapped = source.mappedBytes {
            bytes = UnsafeRawBufferPointer(rebasing: mapped[Int(range.lowerBound)..<Int(range.upperBound)])
        } else {
            if buffer.bytes.count < range.count { buffer = ScratchBuffer(range.count) }
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<range.count])
            try source.read(at: range.lowerBound, into: target)
            bytes = UnsafeRawBufferPointer(target)
        }
        return leaves.map { leaf in
            let start = Int(leaf.extent.offset - range.lowerBound)
            return TreeHash.leaf(
                leaf.kind, at: leaf.extent.offset,
                UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(leaf.extent.length)]))
        }
    }
}
