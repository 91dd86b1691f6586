// SPDX-License-Identifier: Apache-2.0

/// A copier of the blocks and bodies of an archive into one commit. Specification section 5.
struct BodyCopier {
    /// The commit that is being written.
    let builder: CommitBuilder
    let progress: CopyingProgress
    private let archive: StoredArchive
    private var references: [CommitBuilder.BodyReference] = []
    /// The position of a digest in `references`; nil where different bodies share the digest.
    private var places: [ContentDigest: UInt32?] = [:]
    /// The numbers of dictionaries in the new archive, by the number of the block.
    private var dictionaryNumbers: [Int: UInt32] = [:]
    private let dictionaries: CopiedDictionaries
    private let streamed: StreamedBodies
    /// The blocks that cannot be copied; none unless they are left out.
    private var damagedBlocks = DamagedBlocks()
    /// The bodies that use such blocks, by their numbers.
    private var damagedBodies: [Int: ArchiveError] = [:]
    private let rules: Rules
    /// The selected bodies; nil for all.
    private let selection: CopySelection?
    private var stored: StoredRun

    /// The rules of a copy, which depend on the use of the archive that is copied.
    struct Rules {
        /// The blocks of which the kept bodies are compressed again.
        let splitting: BlockUses.Splitting
        /// Whether bodies that cannot be read are left out, instead of ending the copy.
        let leavesOutDamaged: Bool
        /// Whether blocks stay compressed against their dictionaries, which can contain parts of bodies that are not copied. Otherwise bodies
        /// in such a block are compressed again; those of several blocks must not be among the selected ones.
        let keepsDictionaries: Bool
        /// Whether blocks are decoded to prove that they can be. Otherwise only their checksums are checked.
        let provesDecoding: Bool
    }

    /// Creates a copier of an archive's bodies into a commit.
    ///
    /// - Parameters:
    ///   - selection: the bodies that are copied; nil for all.
    ///   - dictionaries: the dictionaries of all archives that are copied into the commit.
    init(
        _ archive: StoredArchive, _ selection: CopySelection?, into builder: CommitBuilder,
        dictionaries: CopiedDictionaries, progress: CopyingProgress, rules: Rules
    ) {
        self.rules = rules
        self.selection = selection
        self.archive = archive
        self.builder = builder
        self.dictionaries = dictionaries
        self.progress = progress
        stored = StoredRun(archive)
        streamed = StreamedBodies(fileLength: archive.fileLength)
    }

    /// The bodies that were copied.
    var count: Int { references.count }

    /// Copies all or the selected bodies. Dictionaries are stored again after all other blocks.
    mutating func run() throws(ArchiveError) {
        let (archive, selection, dictionaryBodies) = try (archive, selection, archive.dictionaryBodies())
        let isWanted = { (body: StoredArchive.Body) in
            !dictionaryBodies.contains(body.number) && selection?.contains(body) ?? true
        }
        var dictionaryDigests: Set<ContentDigest> = []
        let numbers = try copyBlocks(isWanted)
        var added: [CommitBuilder.BodyReference] = []
        var sparse: [StoredArchive.Body] = []
        try archive.forEachBody(skippingDamaged: rules.leavesOutDamaged) { body throws(ArchiveError) in
            if dictionaryBodies.contains(body.number) { dictionaryDigests.insert(body.digest) }
            guard isWanted(body), damagedBodies[body.number] == nil else { return }
            guard let first = body.blocks.first else {
                added.append(try builder.register(body.digest, length: body.length, block: 0, offset: 0))
                return
            }
            guard let block = numbers[first] else {
                sparse.append(body)
                return
            }
            added.append(
                try builder.register(body.digest, length: body.length, block: block, offset: UInt32(body.offset)))
        }
        references = added
        try repack(sparse)
        places.reserveCapacity(references.count)
        for (place, reference) in references.enumerated() {
            let isShared = places[reference.digest] != nil
            places[reference.digest] = .some(isShared ? nil : UInt32(place))
        }
        // An entry may have the body of a dictionary.
        for digest in dictionaryDigests where places[digest] != nil { places[digest] = .some(nil) }
    }

    /// Copies the used blocks, and returns the number of each in the new archive; nil for blocks that are not copied as stored.
    private mutating func copyBlocks(_ isWanted: (StoredArchive.Body) -> Bool) throws(ArchiveError) -> [UInt32?] {
        do throws(ArchiveError) {
            return try copyBlocks(usedBlocks(isWanted))
        } catch  where error.code == .damaged && rules.leavesOutDamaged {
            // Blocks that only a damaged body uses may not stay either; so all are checked, and the copy starts again.
            try findDamagedBlocks(usedBlocks(isWanted))
            try builder.takeBackBlocks()
            return try copyBlocks(usedBlocks(isWanted))
        }
    }

    /// Returns the blocks that bodies use, without those of damaged bodies, which it notes.
    private mutating func usedBlocks(_ isWanted: (StoredArchive.Body) -> Bool) throws(ArchiveError) -> BlockUses {
        var uses = BlockUses(blockCount: archive.blockCount)
        try archive.forEachBody(skippingDamaged: rules.leavesOutDamaged) { body throws(ArchiveError) in
            guard isWanted(body) else { return }
            if let error = damagedBlocks.firstError(in: body.blocks) {
                damagedBodies[body.number] = error
            } else {
                uses.add(body)
            }
        }
        uses.finish()
        return uses
    }

    private mutating func copyBlocks(_ uses: BlockUses) throws(ArchiveError) -> [UInt32?] {
        var numbers = [UInt32?](repeating: nil, count: archive.blockCount)
        for number in numbers.indices where uses.isUsed(number) {
            let block = try archive.block(number)
            if uses.isSplit(number, length: block.length, rules.splitting) { continue }
            if !rules.keepsDictionaries, block.dictionary != nil { continue }
            let isFollowed = number + 1 < numbers.count && uses.isUsed(number + 1)
            numbers[number] = try copy(number, block, isFollowed: isFollowed)
        }
        return numbers
    }

    private mutating func findDamagedBlocks(_ uses: BlockUses) throws(ArchiveError) {
        for number in 0..<archive.blockCount where uses.isUsed(number) {
            do throws(ArchiveError) {
                let dictionary = try archive.block(number).dictionary
                if rules.keepsDictionaries, let dictionary { _ = try self.dictionary(dictionary) }
                _ = try archive.decodedBytes(number)
            } catch  where error.code == .damaged {
                damagedBlocks.append(number, error)
            }
        }
    }

    /// Writes bodies again that are in mostly unused blocks.
    private mutating func repack(_ bodies: [StoredArchive.Body]) throws(ArchiveError) {
        let bodies = bodies.sorted {
            ($0.blocks.lowerBound, $0.offset, $0.number) < ($1.blocks.lowerBound, $1.offset, $1.number)
        }
        var repacker = BlockRepacker(builder)
        var (number, decoded, dictionary) = (-1, [UInt8](), UInt32(0))
        for body in bodies {
            if number != body.blocks.lowerBound {
                number = body.blocks.lowerBound
                let block = try archive.block(number)
                decoded = try archive.decodedBytes(number)
                let kept = rules.keepsDictionaries ? block.dictionary : nil
                dictionary = try kept.mapTyped { number throws(ArchiveError) in try self.dictionary(number) } ?? 0
                progress.add(bytes: block.stored.length)
            }
            try repacker.add(
                decoded[Int(body.offset)..<Int(body.offset + body.length)], digest: body.digest, dictionary: dictionary)
        }
        try repacker.finish()
        references += repacker.references
    }

    /// Copies a stored block into the commit, and returns its number there.
    ///
    /// - Parameter isFollowed: whether the next block is likely to be copied as well.
    private mutating func copy(
        _ number: Int, _ block: StoredArchive.Block, isFollowed: Bool
    ) throws(ArchiveError) -> UInt32 {
        let dictionary = try block.dictionary.mapTyped { (number) throws(ArchiveError) in try self.dictionary(number) }
        progress.add(bytes: block.stored.length)
        // One that matches its checksum and cannot be decoded would be damaged for good in the place of the old archive. Once damaged ones
        // are known, all have been decoded.
        if rules.provesDecoding, block.coding == .lz4, damagedBlocks.isEmpty { try archive.checkDecoding(number) }
        let builder = builder
        return try stored.withBytes(of: number, block, readsAhead: isFollowed) { (stored) throws(ArchiveError) in
            try builder.appendBlock(
                stored, length: Int(block.length), isCompressed: block.coding == .lz4, dictionary: dictionary ?? 0,
                checksum: block.checksum)
        }
    }

    /// Returns the number of a dictionary in the new archive.
    private mutating func dictionary(_ number: Int) throws(ArchiveError) -> UInt32 {
        let block = try archive.dictionaryBlock(number)
        if let known = dictionaryNumbers[block] { return known }
        let new = try dictionaries.add(number, of: archive)
        dictionaryNumbers[block] = new
        return new
    }

    /// Returns the body of an entry in the new archive.
    ///
    /// - Throws: the error of a body that was left out; `limitExceeded` as
    ///   ``StreamedBodies/reference(to:blockLength:copy:)``.
    func reference(to body: ArchiveBody) throws(ArchiveError) -> CommitBuilder.BodyReference {
        if let error = damagedBodies[body.number] { throw error }
        if let known = known(body) { return known }
        // Bodies of one digest are distinguished by their bytes, and a dictionary's may serve an entry too: the builder compares.
        return try streamed.reference(to: body, blockLength: archive.blockLength) { () throws(ArchiveError) in
            let stream = try builder.beginBody()
            try body.forEachBuffer { chunk throws(ArchiveError) in try stream.write(chunk) }
            return try stream.finish()
        }
    }

    /// Returns the body in the new archive if it already exists; nil if not, or if only a comparison can decide.
    func known(_ body: ArchiveBody) -> CommitBuilder.BodyReference? {
        if let present = selection?.shared(body) { return present }
        // Of the bodies that share a digest, those that are not copied have no place.
        guard selection?.contains(body) ?? true else { return streamed.known(body) }
        if case .some(.some(let place)) = places[body.digest], references[Int(place)].length == body.length {
            return references[Int(place)]
        }
        return streamed.known(body)
    }
}
