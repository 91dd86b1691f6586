// SPDX-License-Identifier: Apache-2.0

/// A copier of the blocks and bodies of an archive into one commit. Specification section 5.
struct BodyCopier {
    let builder: CommitBuilder
    var progress: CopyingProgress
    private let archive: StoredArchive
    private var references: [CommitBuilder.BodyReference] = []
    /// The place of a digest in `references`; nil where different bodies share the digest.
    private var places: [ContentDigest: UInt32?] = [:]
    /// By the number of the body, which many dictionaries may have.
    private var dictionaries: [Int: UInt32] = [:]
    private var dictionaryNumbers: [[UInt8]: UInt32] = [:]
    /// The length of all new dictionaries, in bytes: they are in memory until the commit is written.
    private var dictionaryLength: UInt64 = 0
    private let streamed: StreamedBodies

    init(_ archive: StoredArchive, into builder: CommitBuilder, progress: CopyingProgress) {
        self.archive = archive
        self.builder = builder
        self.progress = progress
        streamed = StreamedBodies(fileLength: archive.fileLength)
    }

    var count: Int { references.count }

    /// Copies all bodies but those of dictionaries, which are stored anew behind all other blocks, or those of a selection.
    mutating func run(_ selection: CopySelection?) throws(ArchiveError) {
        let (archive, dictionaryBodies) = try (archive, archive.dictionaryBodies())
        let isWanted = { (body: StoredArchive.Body) in
            !dictionaryBodies.contains(body.number) && selection?.contains(body) ?? true
        }
        var dictionaryDigests: Set<ContentDigest> = []
        var uses = BlockUses(blockCount: archive.blockCount)
        try archive.forEachBody { body in
            if isWanted(body) { uses.add(body) }
            if dictionaryBodies.contains(body.number) { dictionaryDigests.insert(body.digest) }
        }
        uses.finish()
        var numbers = [UInt32?](repeating: nil, count: archive.blockCount)
        for number in numbers.indices where uses.isUsed(number) {
            let length = try archive.block(number).length
            if selection == nil || !uses.isSparse(number, length: length) { numbers[number] = try copy(number) }
        }
        var added: [CommitBuilder.BodyReference] = []
        var sparse: [StoredArchive.Body] = []
        try archive.forEachBody { body throws(ArchiveError) in
            guard isWanted(body) else { return }
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
        let stored = try archive.storedBytes(number)
        return try stored.withBytes { (stored) throws(ArchiveError) in
            try builder.appendBlock(
                stored, length: Int(block.length), isCompressed: block.coding == .lz4, dictionary: dictionary ?? 0,
                checksum: block.checksum)
        }
    }

    /// The number in the new archive of a dictionary; equal ones of several commits become one.
    private mutating func dictionary(_ number: Int) throws(ArchiveError) -> UInt32 {
        let body = try archive.dictionaryBody(number)
        if let body, let known = dictionaries[body] { return known }
        let (name, contents) = try archive.dictionary(number)
        let new: UInt32
        if let same = dictionaryNumbers[contents] {
            new = same
        } else {
            dictionaryLength += UInt64(contents.count)
            // Dictionaries that are parts of one another take no room in the archive.
            guard dictionaryLength <= archive.fileLength.multipliedSaturated(by: 16).addingSaturated(64 << 20) else {
                throw ArchiveError(.limitExceeded, "dictionaries that overlap as no site's do")
            }
            new = try builder.addDictionary(contents, name: name)
            dictionaryNumbers[contents] = new
        }
        if let body { dictionaries[body] = new }
        return new
    }

    /// The body of an entry in the new archive.
    func reference(to body: ArchiveBody) throws(ArchiveError) -> CommitBuilder.BodyReference {
        if case .some(.some(let place)) = places[body.digest], references[Int(place)].length == body.length {
            return references[Int(place)]
        }
        // Bodies of one digest are told apart by their bytes, and a dictionary's may serve an entry too: the builder compares.
        return try streamed.reference(to: body) { () throws(ArchiveError) in
            let stream = try builder.beginBody()
            try body.forEachBuffer { chunk throws(ArchiveError) in try stream.write(chunk) }
            return try stream.finish()
        }
    }
}
