// SPDX-License-Identifier: Apache-2.0

/// A store of bodies that come one after another, in which small ones of one kind share blocks. Specification section 5.
package final class GroupedBodies {
    private struct Member {
        let body: UInt32
        let range: Range<Int>
    }

    private struct Group {
        var bytes: [UInt8] = []
        var members: [Member] = []
    }

    private let builder: CommitBuilder
    /// The blocks that are being filled, by the kinds of their bodies.
    private var groups: [String: Group] = [:]
    /// The kinds of the bodies that wait in a group, with their places there.
    private var waiting: [UInt32: (kind: String, range: Range<Int>)] = [:]
    private let groupLength: Int

    /// The maximum number of kinds: sources can name any number.
    private static let maximumGroupCount = 64

    package init(_ builder: CommitBuilder) {
        self.builder = builder
        groupLength = min(CommitBuilder.groupLength, builder.blockLength)
    }

    /// Stores a body, unless the archive already has the same bytes.
    ///
    /// - Parameter kind: the kind of the body, such as its media type. Bodies of one kind compress each other.
    /// - Throws: as ``ArchiveWriter/addBody(_:)-([UInt8])``.
    package func add(
        _ bytes: UnsafeRawBufferPointer, kind: String
    ) throws(ArchiveError) -> CommitBuilder.BodyReference {
        let digest = ContentDigest(hashing: bytes)
        let own = MemoryBody(bytes: bytes)
        let existing = try builder.existingBody(
            digest, length: UInt64(bytes.count), comparing: own,
            comparison: { number in
                guard let (kind, range) = waiting[number], let group = groups[kind] else { return nil }
                return group.bytes[range].elementsEqual(bytes)
            })
        if let existing { return existing }
        guard bytes.count > 0, bytes.count < groupLength else { return try builder.addBody(bytes, digest: digest) }
        let kind = groups[kind] == nil && groups.count >= Self.maximumGroupCount ? "" : kind
        if let open = groups[kind], open.bytes.count + bytes.count > groupLength { try close(kind) }
        let number = builder.nextBodyNumber
        var group = groups.removeValue(forKey: kind) ?? Group()
        let range = group.bytes.count..<group.bytes.count + bytes.count
        group.bytes.append(contentsOf: bytes)
        group.members.append(Member(body: number, range: range))
        groups[kind] = group
        waiting[number] = (kind, range)
        return try builder.register(digest, length: UInt64(bytes.count), block: 0, offset: 0)
    }

    /// Stores a body that may be in a file.
    package func add(_ body: SpooledBody, kind: String) throws(ArchiveError) -> CommitBuilder.BodyReference {
        if !body.isInFile {
            let mapping = try body.mapping()
            return try withExtendedLifetime(mapping) { () throws(ArchiveError) in try add(mapping.bytes, kind: kind) }
        }
        let stream = try builder.beginBody()
        try body.forEachBuffer { bytes throws(ArchiveError) in try stream.write(bytes) }
        return try stream.finish()
    }

    /// Writes the blocks that are not full. It comes before the commit.
    package func finish() throws(ArchiveError) {
        for kind in groups.keys.sorted() { try close(kind) }
    }

    private func close(_ kind: String) throws(ArchiveError) {
        guard let group = groups.removeValue(forKey: kind) else { return }
        let block = try group.bytes.withBytes { (bytes) throws(ArchiveError) in try builder.compressBlock(bytes) }
        for member in group.members {
            builder.setPlace(ofBody: member.body, block: block, offset: UInt32(member.range.lowerBound))
            waiting[member.body] = nil
        }
    }
}
