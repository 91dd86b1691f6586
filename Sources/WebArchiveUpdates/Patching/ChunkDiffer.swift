// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// A writer of the blocks of a commit, on several threads. Patch specification section 5.
struct ChunkDiffer {
    let differ: CommitDiffer
    let plan: CommitDiffer.Plan

    /// The result of one chunk.
    private struct Output: Sendable {
        let chunk: ContentChunk
        /// The record, except for the codes of the blocks.
        var record: [UInt8] = []
        /// The sources of the stored bytes, one for each block.
        var codes: [BlockCodes.Code] = []
        /// The form of the bytes of the chunk; a frame as well if it sends none.
        var kind = ContentChunk.Kind.frame
        /// The length of the stored blocks.
        var storedLength = 0
        /// The length of the stored blocks that are sent verbatim, in bytes.
        var literalLength: UInt64 = 0
        /// Whether a body differs from that of equal digest.
        var hasCollision = false
        /// The digests of the bodies that the old archive does not have; nil if the chunk has only copied blocks and bodies of it.
        var digests: ChunkDigests?
    }

    /// The state of one thread.
    private struct Worker {
        let delta = DeltaCoder()
        /// The compressor that finds out whether a block has to be sent verbatim.
        let recoder: BlockRecoder
    }

    /// The new archive.
    private var archive: StoredArchive { differ.new.archive }

    /// Appends all chunks.
    ///
    /// - Throws: an error whose cause is ``BodyCollision``; `damaged`, `io`.
    func run(_ sink: PatchSink, progress: (Int) -> Void) throws(ArchiveError) -> CommitSummary {
        var summary = CommitSummary()
        for origin in plan.origins {
            switch origin {
            case .new: summary.newBodies += 1
            case .same: summary.sameBodies += 1
            case .changed: summary.changedBodies += 1
            }
        }
        let level = try LevelSearch.level(plan.level)
        var walk = ChunkWalk(plan.contents, plan.origins, apart: plan.apart)
        var expected = 0
        let threads = min(max(1, differ.options.threads), ContentChunk.maximumThreadCount)
        var workers: [Worker?] = []
        var sum = ChunkDigests.Sum()
        while !walk.isAtEnd {
            var chunks: [ContentChunk] = []
            while chunks.count < 2 * threads, !walk.isAtEnd { chunks.append(walk.next()) }
            var failure: ArchiveError?
            let (archive, round) = (archive, chunks)
            ParallelWork(threads: threads).run(
                round.count, workers: &workers, state: { Worker(recoder: BlockRecoder(archive, level)) },
                work: { worker, number in
                    Result { () throws(ArchiveError) in try self.output(round[number], worker) }
                },
                merge: { (result: Result<Output, ArchiveError>) in
                    guard failure == nil else { return }
                    do throws(ArchiveError) {
                        let output = try result.get()
                        guard !output.hasCollision else {
                            throw ArchiveError(
                                .changed, "two different bodies have the same digest", cause: BodyCollision())
                        }
                        if let digests = output.digests { try check(sum.add(digests)) }
                        try Self.append(output, to: sink, &expected)
                        summary.literalLength += output.literalLength
                        progress(output.storedLength)
                    } catch {
                        failure = error
                    }
                })
            if let failure { throw failure }
        }
        return summary
    }

    /// The cause of the error that ends a run because two different bodies have the same digest.
    struct BodyCollision: Error {}

    /// Appends the record of a chunk. Chunks must come in their order, as the codes of blocks count from those before.
    private static func append(
        _ output: Output, to sink: PatchSink, _ expected: inout Int
    ) throws(ArchiveError) {
        try sink.number(output.chunk.blocks.count)
        try sink.append([output.kind.rawValue])
        var codes: [UInt8] = []
        BlockCodes.append(output.codes, to: &codes, expected: &expected)
        try sink.append(codes)
        try sink.append(output.record)
    }

    // MARK: - One chunk

    /// Codes one chunk, on any thread; costs decoding and compressing its blocks unless all are copied.
    private func output(_ chunk: ContentChunk, _ worker: Worker) throws(ArchiveError) -> Output {
        let first = archive.rows(.block, ofCommit: differ.new.number).lowerBound
        var output = Output(chunk: chunk)
        var bytes: [[UInt8]] = []
        for number in chunk.blocks {
            let own = try archive.storedBytes(first + number)
            let copy = try differ.oldBlocks.row(of: own, archive.block(first + number))
            output.codes.append(copy.map { .copy($0) } ?? .own)
            bytes.append(own)
            output.storedLength += own.count
        }
        let isOwn = output.codes.map { $0 == .own }
        if !isOwn.contains(true), chunk.pieces.allSatisfy(\.origin.isSame) { return output }
        var (blocks, content) = ([[UInt8]](), [UInt8]())
        for number in chunk.blocks {
            blocks.append(try archive.decodedBytes(first + number))
            content += blocks.last ?? []
        }
        output.hasCollision = try hasCollision(chunk, content)
        output.digests = ChunkDigests(of: chunk, content, lengths: plan.contents.bodyLengths)
        if isOwn.contains(true), differ.options.isPortable || differ.old.limits.areNearlyReached {
            output.kind = .stored
        }
        for (place, number) in chunk.blocks.enumerated() where isOwn[place] && output.kind != .stored {
            let block = try archive.block(first + number)
            guard block.coding == .lz4 else { continue }
            if let dictionary = block.dictionary, let body = try archive.dictionaryBody(dictionary) {
                differ.old.limits.note(Int(try archive.archiveBody(body).length))
            }
            let isSame = try worker.recoder.gives(
                bytes[place], first + number, decoded: blocks[place], within: differ.old.limits)
            guard isSame == true else {
                output.kind = .stored
                break
            }
        }
        if output.kind == .stored {
            for (place, own) in bytes.enumerated() where isOwn[place] {
                output.record.appendNumber(UInt64(own.count))
                output.record += own
                output.literalLength += UInt64(own.count)
            }
        } else if chunk.sentLength > 0 {
            (output.kind, output.record) = try coded(chunk, sent(chunk, content), worker.delta)
        }
        return output
    }

    /// Codes the sent pieces in the shorter way. Edits take a fraction of the time of a search in all the prefix, which is left out if
    /// they insert almost nothing.
    private func coded(
        _ chunk: ContentChunk, _ sent: [UInt8], _ coder: DeltaCoder
    ) throws(ArchiveError) -> (ContentChunk.Kind, [UInt8]) {
        let prefix = try chunk.prefix(differ.old)
        let level = differ.options.level
        var edits: (record: [UInt8], length: Int)?
        if let found = EditSearch.edits(of: chunk, sent, prefix), found.inserted.count <= sent.count / 4 {
            let record = try found.encoded(coder, prefix, level: level)
            if found.inserted.count <= sent.count / 512, differ.old.limits.note(edits: found.edits.count) {
                return (.edits, record)
            }
            edits = (record, found.edits.count)
        }
        let frame = try coder.encode(sent, prefix: prefix.bytes, level: level)
        if let edits, edits.record.count <= frame.count, differ.old.limits.note(edits: edits.length) {
            return (.edits, edits.record)
        }
        var record: [UInt8] = []
        record.appendNumber(UInt64(frame.count))
        return (.frame, record + frame)
    }

    /// Checks bodies that the old archive does not have against their digests, which a patch does not send.
    ///
    /// - Throws: `damaged` for a body that does not match.
    private func check(_ digests: [(rank: Int, digest: ContentDigest)]) throws(ArchiveError) {
        for (rank, digest) in digests where try archive.archiveBody(differ.new.row(rank)).digest != digest {
            throw .damaged("body \(differ.new.row(rank)) does not match its digest")
        }
    }

    /// Returns the bytes of the pieces that the patch sends, one after another.
    ///
    /// - Parameter content: the decoded blocks of the chunk.
    private func sent(_ chunk: ContentChunk, _ content: [UInt8]) -> [UInt8] {
        var (sent, position) = ([UInt8](), 0)
        for piece in chunk.pieces {
            if piece.isSent { sent += content[position..<position + piece.range.count] }
            position += piece.range.count
        }
        return sent
    }

    /// Compares the bodies with equal digests.
    private func hasCollision(_ chunk: ContentChunk, _ content: [UInt8]) throws(ArchiveError) -> Bool {
        var (position, isEqual) = (0, true)
        for piece in chunk.pieces {
            if case .same(let row) = piece.origin {
                var place = position
                try differ.old.body(row).forEachBuffer(in: piece.range) { bytes throws(ArchiveError) in
                    isEqual = isEqual && content[place..<place + bytes.count].elementsEqual(bytes)
                    place += bytes.count
                }
            }
            guard isEqual else { return true }
            position += piece.range.count
        }
        return false
    }
}
