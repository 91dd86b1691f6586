// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The part of packing that depends on the order of the files: it finds new bodies, assigns positions, and makes entries.
///
/// One thread at a time runs it; the pipeline sees to that.
final class SerialStage: @unchecked Sendable {
    // All state belongs to the thread that the pipeline currently runs.
    private let builder: CommitBuilder
    private let tree: SourceTree
    private let dictionaries: DictionarySet
    private let edition: EditionPlan?
    private let recorder: EntryRecorder
    /// The blocks that are being filled.
    private var assembler: BlockAssembler
    /// The numbers that the archive gave to dictionaries, by their numbers in ``DictionarySet/all``.
    private var dictionaryNumbers: [Int32: UInt32] = [:]
    /// The bodies that are not yet in the archive's file.
    private var bodiesInMemory: [UInt32: BodySlice] = [:]
    /// The bodies that were too large for memory, with their files.
    private var largeFiles: [UInt32: Int] = [:]
    /// The files and bytes that were recorded, and their totals. Bytes are those before compression.
    private(set) var progress = WorkProgress()
    /// The total length of files whose bytes were stored already, in bytes.
    private(set) var duplicateBytes: UInt64 = 0
    /// A function that is called after each batch, on the thread that recorded it; nil for none.
    private let report: (@Sendable (WorkProgress) -> Void)?

    init(
        builder: CommitBuilder, tree: SourceTree, dictionaries: DictionarySet, edition: EditionPlan?,
        recorder: EntryRecorder, report: (@Sendable (WorkProgress) -> Void)?
    ) {
        self.builder = builder
        self.tree = tree
        self.dictionaries = dictionaries
        self.edition = edition
        self.recorder = recorder
        self.report = report
        assembler = BlockAssembler(blockLength: builder.blockLength)
        progress.totalItems = tree.files.count
        progress.totalBytes = tree.files.reduce(0) { $0 + $1.length }
    }

    /// The number of blocks so far.
    var blockCount: UInt32 { assembler.nextBlock }

    /// Writes the next blocks in order, records a batch, and returns the resulting jobs.
    ///
    /// - Parameters:
    ///   - batch: the next batch in the order of the files; nil if only blocks are to be written.
    ///   - outputs: the compressed blocks in the order of their numbers, without a gap to those written before.
    ///   - isLast: whether all batches are recorded after this call, so that a block that is not full is closed.
    /// - Throws: `invalidArgument` for two files with one URL, `changed` or `io` for a large file that is compared, `limitExceeded`.
    func run(
        batch: FileBatch?, outputs: [BlockWorker.Output], isLast: Bool
    ) throws(ArchiveError) -> [CompressionJob] {
        for output in outputs { try write(output) }
        if let batch {
            for item in batch.items { try record(item) }
            report?(progress)
        }
        if isLast { assembler.finish() }
        let jobs = assembler.takeJobs()
        for job in jobs where job.isShared {
            for body in job.bodies { builder.setPlace(ofBody: body.number, block: job.block, offset: body.offset) }
        }
        if batch != nil {
            for (body, slice) in assembler.detach() { bodiesInMemory[body] = slice }
        }
        return jobs
    }

    /// Writes a block after those before it. The first block that was compressed against a dictionary has the dictionary added, too.
    private func write(_ output: BlockWorker.Output) throws(ArchiveError) {
        var dictionary: UInt32 = 0
        if let used = output.dictionary {
            let number = output.job.dictionary
            if let known = dictionaryNumbers[number] {
                dictionary = known
            } else {
                dictionary = try builder.addDictionary(used.bytes, name: dictionaries.all[Int(number)].name)
                dictionaryNumbers[number] = dictionary
            }
        }
        _ = try builder.appendBlock(
            output.stored.bytes, length: output.job.length, isCompressed: output.isCompressed, dictionary: dictionary,
            checksum: output.checksum)
        for body in output.job.bodies { bodiesInMemory[body.number] = nil }
    }

    /// Records a file: its body, its entries, and the completion of the earlier block whose last file it is.
    ///
    /// - Throws: as ``run(batch:outputs:isLast:)``.
    private func record(_ item: FileBatch.Item) throws(ArchiveError) {
        let file = tree.files[item.file]
        let body =
            switch item.contents {
            case .memory(let bytes): try place(bytes, item)
            case .blocks(let checksums): try placeLarge(item, checksums)
            }
        try recorder.record(item, body)
        if let block = edition?.block(endingWith: item.file) { assembler.complete(earlierBlock: block) }
        progress.items += 1
        progress.bytes += file.length
    }

    /// Finds a body with the same bytes, in the archive or in memory, or assigns the bytes a position in a block.
    ///
    /// Equal digests alone prove nothing: the bytes are compared (specification section 5, "Equal digests").
    private func place(_ slice: BodySlice, _ item: FileBatch.Item) throws(ArchiveError) -> CommitBuilder.BodyReference {
        let bytes = MemoryBody(bytes: slice.bytes)
        let existing = try builder.existingBody(
            item.digest, length: UInt64(slice.count), comparing: bytes,
            comparison: { bodiesInMemory[$0].map { bytes.equals($0.bytes, at: 0) } })
        if let body = existing {
            duplicateBytes += body.length
            return body
        }
        // A body of no bytes has no block.
        if slice.count == 0 { return try builder.register(item.digest, length: 0, block: 0, offset: 0) }
        let number = builder.nextBodyNumber
        let type = tree.types[item.file]
        let earlier = try earlierPlace(item, length: UInt64(slice.count))
        let block = assembler.place(
            slice, body: number, type: type, isCompressible: tree.mediaTypes[type].isCompressible,
            dictionary: try dictionary(item.file, earlier), earlier: earlier)
        bodiesInMemory[number] = slice
        return try builder.register(item.digest, length: UInt64(slice.count), block: block ?? 0, offset: 0)
    }

    /// Finds a body with the same bytes as a file that is too long for memory, by reading both, or assigns blocks to the file.
    private func placeLarge(
        _ item: FileBatch.Item, _ checksums: [UInt32]
    ) throws(ArchiveError) -> CommitBuilder.BodyReference {
        let length = tree.files[item.file].length
        let open = try tree.open(item.file)
        let existing = try builder.existingBody(
            item.digest, length: length, comparing: open,
            comparison: { (number) throws(ArchiveError) in
                // Its blocks may not be written yet, but it is a large file as well.
                guard let file = largeFiles[number] else { return nil }
                return try open.equals(tree.open(file), length: length)
            })
        if let body = existing {
            duplicateBytes += body.length
            return body
        }
        largeFiles[builder.nextBodyNumber] = item.file
        let earlier = try earlierPlace(item, length: length)
        let block = assembler.place(
            open, length: length, checksums: checksums, dictionary: try dictionary(item.file, earlier), earlier: earlier
        )
        return try builder.register(item.digest, length: length, block: block, offset: 0)
    }

    // MARK: - The earlier edition

    /// Returns the position of the same body in the earlier edition, under any URL, or else that of the earlier body of the URL.
    private func earlierPlace(
        _ item: FileBatch.Item, length: UInt64
    ) throws(ArchiveError) -> BlockAssembler.EarlierPlace? {
        guard let edition else { return nil }
        let same = try edition.edition.place(of: item.digest, length: length)
        guard let place = same ?? edition.places[item.file] else { return nil }
        return BlockAssembler.EarlierPlace(
            block: place.block, blockLength: Int(try edition.edition.stored.block(Int(place.block)).length),
            offset: place.offset, isUnchanged: same != nil)
    }

    /// Returns the dictionary of a file, or that against which the block was compressed in the earlier edition.
    private func dictionary(
        _ file: Int, _ earlier: BlockAssembler.EarlierPlace?
    ) throws(ArchiveError) -> Int32 {
        if let earlier, let number = try dictionaries.number(ofEarlierBlock: earlier.block) { return number }
        return dictionaries.ofFile[file]
    }
}
