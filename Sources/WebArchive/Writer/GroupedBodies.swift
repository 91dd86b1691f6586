// SPDX-License-Identifier: Apache-2.0

/// A store of bodies that come one after another, in which small ones of one kind share blocks. Specification section 5.
///
/// Blocks of a kind are compressed against a dictionary that is made of its first bodies, and later of newer ones: until then they wait in memory.
/// Other threads compress them.
package final class GroupedBodies {
    /// A group of bodies that share a block.
    private final class Group {
        var bytes: [UInt8] = []
        /// The bodies, by their numbers, with their places in the block.
        var members: [(body: UInt32, range: Range<Int>)] = []
    }

    /// The bodies of one kind.
    private struct Kind {
        /// The group that is being filled.
        var open = Group()
        /// The full groups, of which the next dictionary will be made.
        var held: [Group] = []
        /// Whether groups are held.
        var isLearning = true
        var dictionary: CompressionQueue.Dictionary?
        /// The number of bytes that were written against the dictionary, or without one.
        var length = 0
    }

    private let builder: CommitBuilder
    private let queue: CompressionQueue
    private var kinds: [String: Kind] = [:]
    /// The groups of the bodies that wait in one, with their places there.
    private var waiting: [UInt32: (group: Group, range: Range<Int>)] = [:]
    private let groupLength: Int
    private var dictionaryCount = 0
    private let usesDictionaries: Bool

    /// The maximum number of kinds: sources can name any number.
    private static let maximumKindCount = 64
    /// The number of bytes of which a dictionary is made, and those after which a new one is.
    private static let sampleLength = 1 << 20
    private static let dictionaryUse = 16 << 20
    /// The maximum number of dictionaries, which stay in memory up to the commit.
    private static let maximumDictionaryCount = 256
    /// The number of bytes below which a dictionary costs more than it saves.
    private static let minimumSampleLength = 32 << 10

    /// - Parameter threads: the number of threads that compress; 1 by default.
    package init(_ builder: CommitBuilder, usesDictionaries: Bool = true, threads: Int = 1) {
        self.builder = builder
        queue = CompressionQueue(builder, threads: threads)
        self.usesDictionaries = usesDictionaries
        groupLength = min(CommitBuilder.groupLength, builder.blockLength)
    }

    /// Stores a body, unless the archive already has the same bytes.
    ///
    /// - Parameters:
    ///   - kind: the kind of the body, such as its media type. Bodies of one kind compress each other.
    ///   - digest: the MD5 of the bytes, if it is known.
    /// - Throws: as ``ArchiveWriter/addBody(_:)-([UInt8])``.
    package func add(
        _ bytes: UnsafeRawBufferPointer, kind name: String, digest known: ContentDigest? = nil
    ) throws(ArchiveError) -> CommitBuilder.BodyReference {
        let digest = known ?? ContentDigest(hashing: bytes)
        let own = MemoryBody(bytes: bytes)
        let existing = try builder.existingBody(
            digest, length: UInt64(bytes.count), comparing: own,
            comparison: { number in
                guard let (group, range) = waiting[number] else { return nil }
                return group.bytes[range].elementsEqual(bytes)
            })
        if let existing { return existing }
        guard bytes.count > 0, bytes.count <= builder.blockLength else {
            return try builder.addBody(bytes, digest: digest)
        }
        guard bytes.count < groupLength else {
            let group = Group()
            let body = try put(bytes, digest, in: group)
            try write(group, nil)
            return body
        }
        let name = kinds[name] == nil && kinds.count >= Self.maximumKindCount ? "" : name
        if let open = kinds[name]?.open, open.bytes.count + bytes.count > groupLength { try close(name) }
        // Reading a default does not insert it.
        let group = kinds[name]?.open ?? Group()
        if kinds[name] == nil { kinds[name] = Kind(open: group, isLearning: usesDictionaries) }
        return try put(bytes, digest, in: group)
    }

    /// Puts a body into a group.
    private func put(
        _ bytes: UnsafeRawBufferPointer, _ digest: ContentDigest, in group: Group
    ) throws(ArchiveError) -> CommitBuilder.BodyReference {
        let body = try builder.register(digest, length: UInt64(bytes.count), block: 0, offset: 0)
        let range = group.bytes.count..<group.bytes.count + bytes.count
        group.bytes.append(contentsOf: bytes)
        group.members.append((body.number, range))
        waiting[body.number] = (group, range)
        return body
    }

    /// Stores a body that may be in a file.
    package func add(
        _ body: SpooledBody, kind: String, digest: ContentDigest? = nil
    ) throws(ArchiveError) -> CommitBuilder.BodyReference {
        if !body.isInFile {
            let mapping = try body.mapping()
            return try withExtendedLifetime(mapping) { () throws(ArchiveError) in
                try add(mapping.bytes, kind: kind, digest: digest)
            }
        }
        // A body that is read back for a comparison must be in the file.
        if body.length <= UInt64(builder.blockLength) { try queue.finish() }
        let stream = try builder.beginBody()
        try body.forEachBuffer { bytes throws(ArchiveError) in try stream.write(bytes) }
        return try stream.finish()
    }

    /// Writes the blocks that are not full. It comes before the commit.
    package func finish() throws(ArchiveError) {
        for name in kinds.keys.sorted() {
            try close(name)
            try learn(name)
        }
        try queue.finish()
    }

    /// Ends the open group of a kind.
    private func close(_ name: String) throws(ArchiveError) {
        guard var kind = kinds.removeValue(forKey: name) else { return }
        defer { kinds[name] = kind }
        let group = kind.open
        guard !group.members.isEmpty else { return }
        kind.open = Group()
        kind.held.append(group)
        guard kind.isLearning else { return try writeHeld(&kind) }
        guard kind.held.count * groupLength >= Self.sampleLength else { return }
        try learn(name, &kind)
    }

    private func learn(_ name: String) throws(ArchiveError) {
        guard var kind = kinds.removeValue(forKey: name) else { return }
        defer { kinds[name] = kind }
        try learn(name, &kind)
    }

    /// Makes a dictionary of the held groups, and writes them.
    private func learn(_ name: String, _ kind: inout Kind) throws(ArchiveError) {
        let samples = HeldSamples(kind.held)
        if usesDictionaries, dictionaryCount < Self.maximumDictionaryCount, samples.bytes >= Self.minimumSampleLength {
            let level = builder.options.level
            let made = try DictionaryBuilder(samples, level: level, blockLength: builder.blockLength).build()
            kind.dictionary = try made.mapTyped { contents throws(ArchiveError) in
                dictionaryCount += 1
                return CompressionQueue.Dictionary(
                    number: try builder.addDictionary(contents, name: Array(name.utf8)),
                    prepared: PreparedDictionary(contents, level: level))
            }
        }
        (kind.isLearning, kind.length) = (false, 0)
        try writeHeld(&kind)
    }

    private func writeHeld(_ kind: inout Kind) throws(ArchiveError) {
        for group in kind.held {
            try write(group, kind.dictionary)
            kind.length += group.bytes.count
        }
        kind.held = []
        if dictionaryCount < Self.maximumDictionaryCount, usesDictionaries, kind.length >= Self.dictionaryUse {
            kind.isLearning = true
        }
    }

    /// Writes a group, which must not change any more.
    private func write(_ group: Group, _ dictionary: CompressionQueue.Dictionary?) throws(ArchiveError) {
        try queue.add(group.bytes, dictionary) { [unowned self] block in
            for member in group.members {
                builder.setPlace(ofBody: member.body, block: block, offset: UInt32(member.range.lowerBound))
                waiting[member.body] = nil
            }
        }
    }

    /// The bodies of groups as samples for a dictionary.
    private struct HeldSamples: DictionarySamples {
        private let members: [(group: Group, range: Range<Int>)]
        let bytes: UInt64

        init(_ groups: [Group]) {
            members = groups.flatMap { group in group.members.map { (group, $0.range) } }
            bytes = groups.reduce(0) { $0 + UInt64($1.bytes.count) }
        }

        var count: Int { members.count }

        func length(_ number: Int) -> UInt64 { UInt64(members[number].range.count) }

        func head(_ number: Int, _ length: Int) -> [UInt8] {
            let (group, range) = members[number]
            return Array(group.bytes[range.prefix(length)])
        }
    }
}
