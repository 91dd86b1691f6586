// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// A reader of the blocks of a commit, which makes their stored bytes on several threads. Patch specification section 5.
struct ChunkPatcher {
    private let old: OldBodies
    private let contents: CommitContents
    private let origins: [BodyOrigin]
    private let dictionaries: PatchedDictionaries
    /// The level of LZ4 at which the own blocks of the commit were compressed.
    private let level: CompressionLevel
    /// The codings of the blocks, by number within the commit.
    private let codings: [BlockCoding]
    /// The rows of `Dictionary` within the commit, by the number of the block; nil without one.
    ///
    /// One of an earlier commit is −1, which ``PatchedDictionaries/dictionary(_:)`` refuses.
    private let blockDictionaries: [Int?]
    /// The digests of the bodies, by rank.
    private(set) var digests: [ContentDigest]
    /// The lengths of the stored blocks.
    private(set) var storedLengths: [Int] = []
    /// The CRCs of the stored blocks.
    private(set) var checksums: [UInt32] = []
    /// The digest of a body that continues in the next chunk.
    private var sum = ChunkDigests.Sum()

    /// - Parameter blockDictionaries: the rows of `Dictionary` within the commit; nil without one.
    init(
        old: OldBodies, contents: CommitContents, origins: [BodyOrigin], dictionaries: PatchedDictionaries,
        level: CompressionLevel, codings: [BlockCoding], blockDictionaries: [Int?]
    ) throws(ArchiveError) {
        (self.old, self.contents, self.origins, self.dictionaries) = (old, contents, origins, dictionaries)
        (self.level, self.codings, self.blockDictionaries) = (level, codings, blockDictionaries)
        digests = Array(repeating: .ofNothing, count: origins.count)
        for (rank, origin) in origins.enumerated() {
            if case .same(let row) = origin { digests[rank] = try old.body(row).digest }
        }
    }

    /// A chunk of a patch.
    private struct Job: Sendable {
        let chunk: ContentChunk
        let codes: [BlockCodes.Code]
        let payload: Payload
    }

    /// The bytes of a chunk.
    private enum Payload: Sendable {
        /// The sent pieces, coded against the prefix.
        case frame([UInt8])
        /// The stored bytes of the own blocks.
        case stored([[UInt8]])
        /// The sent pieces as edits of the prefix.
        case edits(ChunkEdits.Frames)
    }

    /// The blocks of a chunk as they are written.
    private struct Output: Sendable {
        let chunk: ContentChunk
        /// The stored bytes, block by block.
        let stored: [[UInt8]]
        /// The CRCs of the stored bytes.
        let checksums: [UInt32]
        /// The digests of bodies that the old archive does not have.
        var digests: ChunkDigests?
    }

    /// Reads all chunks and writes their blocks.
    mutating func run(
        _ input: inout PatchInput, to output: PatchedFile, threads: Int, progress: (Int) -> Void
    ) throws(ArchiveError) {
        let threads = min(max(1, threads), ContentChunk.maximumThreadCount)
        var walk = ChunkWalk(contents, origins, apart: dictionaries.apart)
        var expected = 0
        var workers: [(DeltaCoder, BlockCoder)?] = []
        while !walk.isAtEnd {
            var jobs: [Job] = []
            while jobs.count < 2 * threads, !walk.isAtEnd { jobs.append(try job(&walk, &input, &expected)) }
            var results: [Result<Output, ArchiveError>] = []
            let (patcher, round) = (self, jobs)
            ParallelWork(threads: threads).run(
                round.count, workers: &workers, state: { (DeltaCoder(), BlockCoder(patcher.level)) },
                work: { (worker: inout (DeltaCoder, BlockCoder), number) in
                    Result { () throws(ArchiveError) in try patcher.output(round[number], worker.0, worker.1) }
                },
                merge: { results.append($0) })
            for result in results { try take(result.get(), output, progress) }
        }
    }

    /// Reads the next chunk of the patch, without decoding it.
    ///
    /// - Parameter expected: the row that the next copied block most likely has.
    /// - Throws: `damaged` for an unknown kind, and for blocks that the archives do not have; `limitExceeded` for too many edits; `truncated`.
    private func job(
        _ walk: inout ChunkWalk, _ input: inout PatchInput, _ expected: inout Int
    ) throws(ArchiveError) -> Job {
        let chunk = try walk.next(blocks: Int(input.number(atMost: UInt64(contents.blockLengths.count))))
        let kind = ContentChunk.Kind(rawValue: try input.bytes(1)[0])
        let codes = try BlockCodes.read(
            chunk.blocks.count, from: &input, expected: &expected, blockCount: old.stored.blockCount)
        switch kind {
        case .frame:
            return Job(chunk: chunk, codes: codes, payload: .frame(chunk.sentLength > 0 ? try input.frame() : []))
        case .edits:
            let frames = try ChunkEdits.Frames(&input, of: chunk)
            try old.limits.take(edits: frames.editsLength)
            return Job(chunk: chunk, codes: codes, payload: .edits(frames))
        case .stored:
            var stored: [[UInt8]] = []
            for (code, number) in zip(codes, chunk.blocks) where code == .own {
                stored.append(try input.bytes(Int(input.number(atMost: UInt64(contents.blockLengths[number])))))
            }
            return Job(chunk: chunk, codes: codes, payload: .stored(stored))
        case nil: throw .damaged("unknown chunk kind in the patch")
        }
    }

    /// Writes the blocks of a chunk, and keeps their lengths and CRCs for the index. Chunks must come in their order.
    private mutating func take(
        _ result: Output, _ output: PatchedFile, _ progress: (Int) -> Void
    ) throws(ArchiveError) {
        for (stored, checksum) in zip(result.stored, result.checksums) {
            try output.append(stored)
            progress(stored.count)
            storedLengths.append(stored.count)
            checksums.append(checksum)
        }
        guard let found = result.digests else { return }
        for (rank, digest) in sum.add(found) { digests[rank] = digest }
    }

    // MARK: - One chunk

    /// Makes the stored bytes of one chunk, on any thread.
    private func output(_ job: Job, _ delta: DeltaCoder, _ coder: BlockCoder) throws(ArchiveError) -> Output {
        let (stored, content): ([[UInt8]], [UInt8])
        switch job.payload {
        case .stored(let own): (stored, content) = try literal(job, own)
        case .frame(let frame):
            content = try assembled(
                job,
                sent(job) { (prefix, length) throws(ArchiveError) in
                    try delta.decode(frame, prefix: prefix.bytes, length: length)
                })
            stored = try self.stored(job, content, coder)
        case .edits(let frames):
            content = try assembled(
                job,
                sent(job) { (prefix, _) throws(ArchiveError) in
                    try frames.decoded(delta, prefix).pieces(of: job.chunk, prefix)
                })
            stored = try self.stored(job, content, coder)
        }
        return summed(Output(chunk: job.chunk, stored: stored, checksums: stored.map { Checksum.of($0) }), content)
    }

    /// Returns the bytes of the sent pieces of a chunk.
    private func sent(
        _ job: Job, _ decode: (ContentChunk.Prefix, Int) throws(ArchiveError) -> [UInt8]
    ) throws(ArchiveError) -> [UInt8] {
        let length = job.chunk.sentLength
        guard length <= DeltaCoder.maximumLength else {
            throw .damaged("the chunk length \(length) in the patch exceeds \(DeltaCoder.maximumLength)")
        }
        return length == 0 ? [] : try decode(job.chunk.prefix(old), length)
    }

    /// Assembles the decoded blocks of a chunk. Bytes of the old archive are left out if they are not needed.
    private func assembled(_ job: Job, _ sent: [UInt8]) throws(ArchiveError) -> [UInt8] {
        let needsOld = job.codes.contains(.own)
        var (content, position) = ([UInt8](), 0)
        for piece in job.chunk.pieces {
            if piece.isSent {
                content += sent[position..<position + piece.range.count]
                position += piece.range.count
            } else if case .same(let row) = piece.origin {
                if needsOld {
                    try old.append(old.body(row), piece.range, to: &content)
                } else {
                    content.append(contentsOf: repeatElement(0, count: piece.range.count))
                }
            } else {
                content += dictionaries.body(piece.rank)[Int(piece.range.lowerBound)..<Int(piece.range.upperBound)]
            }
        }
        return content
    }

    /// Returns the stored bytes of the blocks of a chunk: copied, raw, or compressed again.
    ///
    /// - Throws: `damaged` for a block that does not shrink, which another version of LZ4 compressed; `limitExceeded` for too many steps.
    private func stored(_ job: Job, _ content: [UInt8], _ coder: BlockCoder) throws(ArchiveError) -> [[UInt8]] {
        var (stored, position) = ([[UInt8]](), 0)
        for (code, number) in zip(job.codes, job.chunk.blocks) {
            let length = contents.blockLengths[number]
            guard position + length <= content.count else {
                throw .damaged("the bodies of a chunk do not fill its blocks")
            }
            defer { position += length }
            if case .copy(let row) = code {
                stored.append(try copy(row, as: number))
                continue
            }
            let block = Array(content[position..<position + length])
            guard codings[number] != .raw else {
                stored.append(block)
                continue
            }
            let dictionary = try blockDictionaries[number].mapTyped { row throws(ArchiveError) in
                (row, try dictionaries.dictionary(row))
            }
            // Preparing a dictionary can cost more than a short block.
            try old.limits.take(dictionary?.1.count ?? 0)
            try old.limits.take(steps: coder.steps(block, dictionary: dictionary))
            guard let compressed = coder.compress(block, dictionary: dictionary) else {
                throw .damaged(
                    "LZ4 compressed a block differently; the patch requires the version of liblz4 that made the new archive"
                )
            }
            stored.append(compressed)
        }
        return stored
    }

    /// Reads the stored bytes of a block of the old archive that the new one repeats.
    private func copy(_ row: Int, as number: Int) throws(ArchiveError) -> [UInt8] {
        let block = try old.stored.block(row)
        guard Int(block.length) == contents.blockLengths[number], block.coding == codings[number] else {
            throw .damaged(
                "the patch copies a block of \(block.length) bytes, expected one of \(contents.blockLengths[number])")
        }
        try old.limits.take(Int(block.stored.length))
        return try old.stored.storedBytes(row)
    }

    /// Returns the literal blocks of a chunk, and their decoded contents.
    private func literal(_ job: Job, _ own: [[UInt8]]) throws(ArchiveError) -> (stored: [[UInt8]], content: [UInt8]) {
        var (stored, content, next) = ([[UInt8]](), [UInt8](), 0)
        for (code, number) in zip(job.codes, job.chunk.blocks) {
            if case .copy(let row) = code {
                stored.append(try copy(row, as: number))
                content += try old.stored.decodedBytes(row)
                continue
            }
            let bytes = own[next]
            next += 1
            stored.append(bytes)
            guard codings[number] != .raw else {
                content += bytes
                continue
            }
            let dictionary = try blockDictionaries[number].mapTyped { row throws(ArchiveError) in
                try dictionaries.dictionary(row)
            }
            var block = [UInt8](repeating: 0, count: contents.blockLengths[number])
            try block.withMutableBytes { target throws(ArchiveError) in
                try bytes.withBytes { bytes throws(ArchiveError) in
                    try (dictionary ?? []).withBytes { dictionary throws(ArchiveError) in
                        try BlockCoding.decodeLZ4(bytes, dictionary: dictionary, into: target)
                    }
                }
            }
            content += block
        }
        let length = job.chunk.pieces.reduce(0) { $0 + $1.range.count }
        guard content.count == length else { throw .damaged("the bodies of a chunk do not fill its blocks") }
        return (stored, content)
    }

    /// Adds the digests of bodies that are not those of the old archive.
    private func summed(_ output: Output, _ content: [UInt8]) -> Output {
        var output = output
        output.digests = ChunkDigests(of: output.chunk, content, lengths: contents.bodyLengths)
        return output
    }
}
