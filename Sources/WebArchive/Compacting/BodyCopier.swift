// SPDX-License-Identifier: Apache-2.0

/// A copier of the blocks and bodies of an archive into one commit. Specification section 5.
struct BodyCopier {
    /// The commit that is written.
    let builder: CommitBuilder
    var progress: CopyingProgress
    private let archive: StoredArchive
    private var references: [CommitBuilder.BodyReference] = []
    /// The place of a digest in `references`; nil where different bodies share the digest.
    private var places: [ContentDigest: UInt32?] = [:]
    /// By the number of the block, which many dictionaries may be.
    private var dictionaries: [Int: UInt32] = [:]
    private var dictionaryNumbers: [[UInt8]: UInt32] = [:]
    /// The length of all new dictionaries with their names, in bytes: they are in memory until the commit is written.
    private var dictionaryLength: UInt64 = 0
    private let streamed: StreamedBodies
    /// The blocks that cannot be copied, with the reason; empty unless they are left out.
    private var damagedBlocks: [Int: ArchiveError] = [:]
    /// The bodies that such blocks are part of, by their numbers.
    private var damagedBodies: [Int: ArchiveError] = [:]
    private let leavesOutDamaged: Bool

    /// - Parameter leavesOutDamaged: whether bodies that cannot be read are left out, and not the end of the copy.
    init(
        _ archive: StoredArchive, into builder: CommitBuilder, progress: CopyingProgress, leavesOutDamaged: Bool
    ) {
        self.leavesOutDamaged = leavesOutDamaged
        self.archive = archive
        self.builder = builder
        self.progress = progress
        streamed = StreamedBodies(fileLength: archive.fileLength)
    }

    /// The bodies that were copied.
    var count: Int { references.count }

    /// Copies all bodies but those of dictionaries, which are stored anew behind all other blocks, or those of a selection.
    mutating func run(_ selection: CopySelection?) throws(ArchiveError) {
        let (archive, dictionaryBodies) = try (archive, archive.dictionaryBodies())
        let isWanted = { (body: StoredArchive.Body) in
            !dictionaryBodies.contains(body.number) && selection?.contains(body) ?? true
        }
        var dictionaryDigests: Set<ContentDigest> = []
        let numbers = try copyBlocks(isWanted, splitsSparse: selection != nil)
        var added: [CommitBuilder.BodyReference] = []
        var sparse: [StoredArchive.Body] = []
        try archive.forEachBody(skippingDamaged: leavesOutDamaged) { body throws(ArchiveError) in
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

    /// Copies the blocks that are used, and gives for each its number in the new archive.
    ///
    /// - Parameter splitsSparse: whether blocks of which little is used are left to be written anew.
    private mutating func copyBlocks(
        _ isWanted: (StoredArchive.Body) -> Bool, splitsSparse: Bool
    ) throws(ArchiveError) -> [UInt32?] {
        var uses = BlockUses(blockCount: archive.blockCount)
        // The first damaged block from each one on.
        var nextDamaged = [Int?](repeating: nil, count: archive.blockCount + 1)
        for number in (0..<archive.blockCount).reversed() where !damagedBlocks.isEmpty {
            nextDamaged[number] = damagedBlocks[number] == nil ? nextDamaged[number + 1] : number
        }
        try archive.forEachBody(skippingDamaged: leavesOutDamaged) { body throws(ArchiveError) in
            guard isWanted(body) else { return }
            if let next = nextDamaged[body.blocks.lowerBound], next < body.blocks.upperBound {
                damagedBodies[body.number] = damagedBlocks[next]
            } else {
                uses.add(body)
            }
        }
        uses.finish()
        var numbers = [UInt32?](repeating: nil, count: archive.blockCount)
        do throws(ArchiveError) {
            for number in numbers.indices where uses.isUsed(number) {
                let length = try archive.block(number).length
                if !splitsSparse || !uses.isSparse(number, length: length) { numbers[number] = try copy(number) }
            }
            return numbers
        } catch  where error.code == .damaged && leavesOutDamaged && damagedBlocks.isEmpty {
            // Neither may blocks stay that only a damaged body has; so all are looked at, and the copy starts anew.
            try findDamagedBlocks(uses)
            try builder.takeBackBlocks()
            return try copyBlocks(isWanted, splitsSparse: splitsSparse)
        }
    }

    private mutating func findDamagedBlocks(_ uses: BlockUses) throws(ArchiveError) {
        for number in 0..<archive.blockCount where uses.isUsed(number) {
            do throws(ArchiveError) {
                if let dictionary = try archive.block(number).dictionary { _ = try self.dictionary(dictionary) }
                _ = try archive.decodedBytes(number)
            } catch  where error.code == .damaged {
                damagedBlocks[number] = error
            }
        }
    }

    /// Writes bodies anew that lie in blocks of which little is left.
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
                dictionary =
                    try block.dictionary.mapTyped { number throws(ArchiveError) in
                        try self.dictionary(number)
                    } ?? 0
                progress.add(bytes: block.stored.length)
            }
            try repacker.add(
                decoded[Int(body.offset)..<Int(body.offset + body.length)], digest: body.digest, dictionary: dictionary)
        }
        try repacker.finish()
        references += repacker.references
    }

    private mutating func copy(_ number: Int) throws(ArchiveError) -> UInt32 {
        let block = try archive.block(number)
        let dictionary = try block.dictionary.mapTyped { (number) throws(ArchiveError) in try self.dictionary(number) }
        progress.add(bytes: block.stored.length)
        // One that matches its checksum and cannot be decoded would be damaged for good in the place of the old archive. Once damaged ones
        // are known, all have been decoded.
        if block.coding == .lz4, damagedBlocks.isEmpty { try archive.checkDecoding(number) }
        let stored = try archive.storedBytes(number)
        return try stored.withBytes { (stored) throws(ArchiveError) in
            try builder.appendBlock(
                stored, length: Int(block.length), isCompressed: block.coding == .lz4, dictionary: dictionary ?? 0,
                checksum: block.checksum)
        }
    }

    /// The number in the new archive of a dictionary; equal ones of several commits become one.
    private mutating func dictionary(_ number: Int) throws(ArchiveError) -> UInt32 {
        let block = try archive.dictionaryBlock(number)
        if let known = dictionaries[block] { return known }
        let contents = try archive.dictionaryContents(number)
        let new: UInt32
        if let same = dictionaryNumbers[contents] {
            new = same
        } else {
            let name = try archive.dictionaryName(number)
            dictionaryLength += UInt64(contents.count + (name?.count ?? 0))
            // Zeros by the megabyte take next to no room in the archive, nor does a name that many share.
            guard dictionaryLength <= archive.fileLength.multipliedSaturated(by: 16).addingSaturated(64 << 20) else {
                throw ArchiveError(.limitExceeded, "dictionaries that are longer together than those of any site")
            }
            new = try builder.addDictionary(contents, name: name)
            dictionaryNumbers[contents] = new
        }
        dictionaries[block] = new
        return new
    }

    /// Gives the body of an entry in the new archive.
    ///
    /// - Throws: the error of a body that was left out; `limitExceeded` as
    ///   ``StreamedBodies/reference(to:blockLength:copy:)``.
    func reference(to body: ArchiveBody) throws(ArchiveError) -> CommitBuilder.BodyReference {
        if let error = damagedBodies[body.number] { throw error }
        if case .some(.some(let place)) = places[body.digest], references[Int(place)].length == body.length {
            return references[Int(place)]
        }
        // Bodies of one digest are told apart by their bytes, and a dictionary's may serve an entry too: the builder compares.
        return try streamed.reference(to: body, blockLength: archive.blockLength) { () throws(ArchiveError) in
            let stream = try builder.beginBody()
            try body.forEachBuffer { chunk throws(ArchiveError) in try stream.write(chunk) }
            return try stream.finish()
        }
    }
}
