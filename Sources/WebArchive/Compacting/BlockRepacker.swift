// SPDX-License-Identifier: Apache-2.0

/// A repacker that collects the remaining bodies of mostly unused blocks, and writes them into new blocks.
///
/// Bodies that were compressed against one dictionary come together again, and against the same one.
struct BlockRepacker {
    private struct Body {
        let digest: ContentDigest
        let range: Range<Int>
    }

    private struct Group {
        var bytes: [UInt8] = []
        var bodies: [Body] = []
    }

    private let builder: CommitBuilder
    /// The groups, by the number of the dictionary, 0 for none.
    private var groups: [UInt32: Group] = [:]
    private var prepared: [UInt32: PreparedDictionary] = [:]
    /// The written bodies, in the new archive.
    private(set) var references: [CommitBuilder.BodyReference] = []

    init(_ builder: CommitBuilder) { self.builder = builder }

    /// Adds a body that is shorter than a block.
    ///
    /// - Parameter dictionary: its number in the new archive, 0 for none.
    mutating func add(
        _ bytes: ArraySlice<UInt8>, digest: ContentDigest, dictionary: UInt32
    ) throws(ArchiveError) {
        let limit = min(CommitBuilder.groupLength, builder.blockLength)
        if let open = groups[dictionary], open.bytes.count + bytes.count > limit { try close(dictionary) }
        var group = groups.removeValue(forKey: dictionary) ?? Group()
        group.bodies.append(Body(digest: digest, range: group.bytes.count..<group.bytes.count + bytes.count))
        group.bytes += bytes
        groups[dictionary] = group
    }

    /// Writes the remaining bodies.
    mutating func finish() throws(ArchiveError) {
        for dictionary in groups.keys.sorted() { try close(dictionary) }
    }

    private mutating func close(_ dictionary: UInt32) throws(ArchiveError) {
        guard let group = groups.removeValue(forKey: dictionary) else { return }
        let prepared = prepare(dictionary)
        let block = try group.bytes.withBytes { (bytes) throws(ArchiveError) in
            try builder.compressBlock(bytes, dictionary: dictionary, prepared)
        }
        for body in group.bodies {
            references.append(
                try builder.register(
                    body.digest, length: UInt64(body.range.count), block: block, offset: UInt32(body.range.lowerBound)))
        }
    }

    private mutating func prepare(_ dictionary: UInt32) -> PreparedDictionary? {
        if let known = prepared[dictionary] { return known }
        let new = builder.bodies.dictionaryContents[dictionary].map {
            PreparedDictionary($0, level: builder.options.level)
        }
        prepared[dictionary] = new
        return new
    }
}
