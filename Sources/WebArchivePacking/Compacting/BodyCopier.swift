// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// Copies the blocks and bodies of an archive into one commit. Specification section 5.
struct BodyCopier {
    let writer: ArchiveWriter
    var progress: CopyingProgress
    private let archive: StoredArchive
    private var references: [ArchiveWriter.BodyReference] = []
    /// Where in `references` a digest is; nil where different bodies share the digest.
    private var places: [ContentDigest: UInt32?] = [:]
    private var dictionaries: [Int: UInt32] = [:]
    private var dictionaryNumbers: [[UInt8]: UInt32] = [:]

    init(_ archive: StoredArchive, into writer: ArchiveWriter, progress: CopyingProgress) {
        self.archive = archive
        self.writer = writer
        self.progress = progress
    }

    var count: Int { references.count }

    mutating func run() throws(ArchiveError) {
        let dictionaryBodies = try archive.dictionaryBodies()
        // Dictionaries are stored anew, behind all other blocks; a block that only they use is not copied.
        var isUsed = [Bool](repeating: false, count: archive.blockCount)
        try archive.forEachBody { body throws(ArchiveError) in
            if !dictionaryBodies.contains(body.number) { for block in body.blocks { isUsed[block] = true } }
        }
        var numbers = [UInt32](repeating: 0, count: archive.blockCount)
        for number in isUsed.indices where isUsed[number] {
            numbers[number] = try copy(number)
        }
        var added: [ArchiveWriter.BodyReference] = []
        try archive.forEachBody { body throws(ArchiveError) in
            guard !dictionaryBodies.contains(body.number) else { return }
            let block = body.blocks.isEmpty ? 0 : numbers[body.blocks.lowerBound]
            added.append(
                try writer.register(body.digest, length: body.length, block: block, offset: UInt32(body.offset)))
        }
        references = added
        places.reserveCapacity(added.count)
        for (place, reference) in added.enumerated() {
            let isShared = places[reference.digest] != nil
            places[reference.digest] = .some(isShared ? nil : UInt32(place))
        }
    }

    private mutating func copy(_ number: Int) throws(ArchiveError) -> UInt32 {
        let block = try archive.block(number)
        let dictionary = try block.dictionary.mapTyped { (number) throws(ArchiveError) in try self.dictionary(number) }
        progress.add(bytes: block.stored.length)
        let stored = try archive.storedBytes(number)
        return try stored.withBytes { (stored) throws(ArchiveError) in
            try writer.appendBlock(
                stored, length: Int(block.length), isCompressed: block.coding == .lz4, dictionary: dictionary ?? 0,
                checksum: block.checksum)
        }
    }

    /// The number in the new archive of a dictionary; equal ones of several commits become one.
    private mutating func dictionary(_ number: Int) throws(ArchiveError) -> UInt32 {
        if let known = dictionaries[number] { return known }
        let (name, contents) = try archive.dictionary(number)
        let new: UInt32
        if let same = dictionaryNumbers[contents] {
            new = same
        } else {
            new = try writer.addDictionary(contents, name: name)
        }
        dictionaryNumbers[contents] = new
        dictionaries[number] = new
        return new
    }

    /// The body of an entry in the new archive.
    func reference(to body: ArchiveBody) throws(ArchiveError) -> ArchiveWriter.BodyReference {
        if case .some(.some(let place)) = places[body.digest], references[Int(place)].length == body.length {
            return references[Int(place)]
        }
        // Bodies of one digest are told apart by their bytes, and a dictionary's may serve an entry too: the writer compares.
        let stream = try writer.beginBody()
        try body.forEachChunk { chunk throws(ArchiveError) in try stream.write(chunk) }
        return try stream.finish()
    }
}
