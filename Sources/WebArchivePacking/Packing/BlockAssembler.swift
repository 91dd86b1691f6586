// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// An assembler that assigns bytes to blocks, file after file, and numbers the blocks in that order.
///
/// Small bodies of one type share blocks of up to 64 KiB, so that neighbours compress each other and reading one of them costs one
/// such block; a larger body has blocks of its own. Specification section 5. Small bodies that have a place in a block of an earlier edition
/// share a block again, in that order.
struct BlockAssembler {
    /// The position of a body in an earlier edition.
    struct EarlierPlace {
        /// The row of the block.
        let block: UInt32
        /// The decoded length of the block.
        let blockLength: Int
        /// The offset of the body in the block.
        let offset: UInt32
        /// Whether the body at this position has the same digest.
        let isUnchanged: Bool
    }

    /// A small body that waits for its block to be filled.
    private struct Member {
        /// The bytes, at first in the buffer of the batch; ``BlockAssembler/detach()`` moves them to memory of their own.
        var slice: BodySlice
        /// The number of the body in the builder, which learns its position from the job.
        let body: UInt32
        /// The offset in the earlier block, 0 without one.
        let earlierOffset: UInt32
    }

    /// A shared block that is being filled. It gets its number when it is closed.
    private struct Group {
        var members: [Member] = []
        /// The length of all members, in bytes.
        var length = 0
        /// The length of unchanged members.
        var unchangedLength = 0
        /// The number of first members with memory of their own.
        var detachedCount = 0
        /// The type of the first member.
        let type: Int
        /// The number of the dictionary of the first member, or -1; those of the others may differ in the group of an earlier block.
        let dictionary: Int32
        /// The decoded length of the earlier block, 0 without one.
        var earlierLength = 0
    }

    /// The identity of an open group.
    private enum GroupName: Hashable {
        /// The one group of a media type, given by its number, for bodies that share no block of an earlier edition.
        case type(Int)
        /// The group of the bodies that shared a block of the earlier edition, given by its row.
        case earlierBlock(UInt32)
    }

    /// The decoded length of a full block of the archive, in bytes.
    private let blockLength: Int
    /// The length of a group: an existing archive may have shorter blocks.
    private let groupLength: Int
    /// The open groups, at most one of each name.
    private var groups: [GroupName: Group] = [:]
    /// The rows of the earlier blocks whose groups were opened, in that order; closed ones stay in the list until their turn.
    private var opened: [UInt32] = []
    /// The place in ``opened`` before which all groups are closed.
    private var firstOpened = 0
    /// The earlier blocks whose groups are closed. Later bodies are placed like new ones.
    private var closed: Set<UInt32> = []
    /// The earlier blocks by type whose groups are complete, and are closed as soon as the next body of the type comes: so blocks are in
    /// the order in which they were packed without an earlier edition.
    private var complete: [Int: UInt32] = [:]
    /// The length of the groups of earlier blocks.
    private var heldLength = 0
    /// The number of the next block, which is the number of blocks so far.
    private(set) var nextBlock: UInt32 = 0
    /// The complete jobs, in the order of their completion.
    private(set) var jobs: [CompressionJob] = []

    /// The maximum number of bytes that wait for the rest of their earlier blocks: beyond it the group that was opened first is closed.
    private static let maximumHeldLength = 32 << 20

    /// Creates an assembler without open blocks.
    ///
    /// - Parameter blockLength: the decoded length of a full block, in bytes. If it is less than 64 KiB, shared blocks have this length as
    ///   well.
    init(blockLength: Int) {
        self.blockLength = blockLength
        groupLength = min(CommitBuilder.groupLength, blockLength)
    }

    /// Places a body in memory, and returns its first block; nil while the block is still being filled: its job then returns it.
    ///
    /// - Parameters:
    ///   - body: its number.
    ///   - dictionary: the number of the dictionary, or -1.
    mutating func place(
        _ slice: BodySlice, body: UInt32, type: Int, isCompressible: Bool, dictionary: Int32, earlier: EarlierPlace?
    ) -> UInt32? {
        if isCompressible, slice.count < groupLength {
            if let block = complete[type], block != earlier?.block { close(earlierBlock: block) }
            if let earlier, !closed.contains(earlier.block) {
                placeInEarlierBlock(slice, body: body, type: type, dictionary: dictionary, earlier)
            } else {
                placeInGroup(slice, body: body, type: type, dictionary: dictionary)
            }
            return nil
        }
        let first = nextBlock
        for (number, start) in stride(from: 0, to: slice.count, by: blockLength).enumerated() {
            let end = min(start + blockLength, slice.count)
            let isLast = end == slice.count
            add(
                .memory([slice.part(start..<end)]), length: end - start, dictionary: dictionary,
                bodies: isLast ? [CompressionJob.Body(number: body, offset: 0)] : [],
                earlierBlock: Self.block(number, from: earlier))
        }
        return first
    }

    /// Places a body that is read when it is compressed, and returns its first block. `checksums` are those of its blocks.
    mutating func place(
        _ file: OpenSourceFile, length: UInt64, checksums: [UInt32], dictionary: Int32, earlier: EarlierPlace?
    ) -> UInt32 {
        let first = nextBlock
        for (number, checksum) in checksums.enumerated() {
            let start = UInt64(number) * UInt64(blockLength)
            let count = Int(min(UInt64(blockLength), length - start))
            add(
                .file(file, offset: start, checksum: checksum), length: count, dictionary: dictionary, bodies: [],
                earlierBlock: Self.block(number, from: earlier))
        }
        return first
    }

    /// Returns the row of the earlier block that block `number` of a body may equal.
    private static func block(_ number: Int, from earlier: EarlierPlace?) -> Int? {
        guard let earlier, earlier.offset == 0 else { return nil }
        return Int(earlier.block) + number
    }

    /// Appends the job of a block, and numbers the block.
    ///
    /// - Parameters:
    ///   - length: the decoded length of the block, in bytes.
    ///   - bodies: the bodies in memory that end in the block.
    ///   - isShared: whether the builder learns the positions of the bodies only from the job.
    private mutating func add(
        _ source: CompressionJob.Source, length: Int, dictionary: Int32, bodies: [CompressionJob.Body],
        isShared: Bool = false, earlierBlock: Int? = nil
    ) {
        jobs.append(
            CompressionJob(
                block: nextBlock, source: source, length: length, dictionary: dictionary, bodies: bodies,
                isShared: isShared, earlierBlock: earlierBlock))
        nextBlock += 1
    }

    // MARK: - Shared blocks

    /// Places a body in the block that is being filled for its type; one that does not fit, or has a different dictionary, begins a new
    /// block.
    private mutating func placeInGroup(_ slice: BodySlice, body: UInt32, type: Int, dictionary: Int32) {
        let name = GroupName.type(type)
        if let open = groups[name], open.dictionary != dictionary || open.length + slice.count > groupLength {
            close(name)
        }
        groups[name, default: Group(type: type, dictionary: dictionary)].members.append(
            Member(slice: slice, body: body, earlierOffset: 0))
        groups[name]?.length += slice.count
    }

    /// Places a body with those that shared a block with it.
    private mutating func placeInEarlierBlock(
        _ slice: BodySlice, body: UInt32, type: Int, dictionary: Int32, _ earlier: EarlierPlace
    ) {
        let name = GroupName.earlierBlock(earlier.block)
        if groups[name] == nil { opened.append(earlier.block) }
        var group =
            groups.removeValue(forKey: name)
            ?? Group(type: type, dictionary: dictionary, earlierLength: earlier.blockLength)
        group.members.append(Member(slice: slice, body: body, earlierOffset: earlier.offset))
        group.length += slice.count
        if earlier.isUnchanged { group.unchangedLength += slice.count }
        heldLength += slice.count
        let isComplete = group.unchangedLength == group.earlierLength
        groups[name] = group
        if isComplete { complete(earlierBlock: earlier.block) }
        while heldLength > Self.maximumHeldLength, firstOpened < opened.count {
            close(earlierBlock: opened[firstOpened])
            firstOpened += 1
        }
    }

    /// Notes that no more bodies will come for the group of an earlier block, if there is one.
    mutating func complete(earlierBlock: UInt32) {
        guard let type = groups[.earlierBlock(earlierBlock)]?.type else { return }
        if let other = complete.updateValue(earlierBlock, forKey: type), other != earlierBlock {
            close(earlierBlock: other)
        }
    }

    /// Closes the group of an earlier block, if there is one.
    private mutating func close(earlierBlock: UInt32) {
        guard let type = groups[.earlierBlock(earlierBlock)]?.type else { return }
        if complete[type] == earlierBlock { complete[type] = nil }
        closed.insert(earlierBlock)
        close(.earlierBlock(earlierBlock))
    }

    /// Ends a block that is being filled, and assigns its number.
    private mutating func close(_ name: GroupName) {
        guard let group = groups.removeValue(forKey: name) else { return }
        guard case .earlierBlock(let row) = name else {
            addShared(group.members[...], group.dictionary)
            return
        }
        heldLength -= group.length
        // Sorting is stable: of bodies with one place, the first to come stays first.
        let members = group.members.sorted { $0.earlierOffset < $1.earlierOffset }
        // Bodies that have grown may be too long together.
        let limit = min(max(groupLength, group.earlierLength), blockLength)
        var (start, length) = (0, 0)
        for (number, member) in members.enumerated() {
            if length + member.slice.count > limit {
                addShared(members[start..<number], group.dictionary)
                (start, length) = (number, 0)
            }
            length += member.slice.count
        }
        addShared(members[start...], group.dictionary, earlierBlock: start == 0 ? Int(row) : nil)
    }

    /// Appends the job of a block that bodies share, one after another without gaps.
    private mutating func addShared(_ members: ArraySlice<Member>, _ dictionary: Int32, earlierBlock: Int? = nil) {
        var (length, bodies) = (0, [CompressionJob.Body]())
        for member in members {
            bodies.append(CompressionJob.Body(number: member.body, offset: UInt32(length)))
            length += member.slice.count
        }
        add(
            .memory(members.map(\.slice)), length: length, dictionary: dictionary, bodies: bodies, isShared: true,
            earlierBlock: earlierBlock)
    }

    /// Closes all open groups, type by type: the groups of earlier blocks in the order in which they were opened, then that of new bodies.
    mutating func finish() {
        var left: [Int: [GroupName]] = [:]
        for block in opened[firstOpened...] {
            let name = GroupName.earlierBlock(block)
            if let type = groups[name]?.type { left[type, default: []].append(name) }
        }
        for case .type(let type) in groups.keys { left[type, default: []].append(.type(type)) }
        for (_, names) in left.sorted(by: { $0.key < $1.key }) {
            for name in names { close(name) }
        }
    }

    /// Takes the complete jobs.
    mutating func takeJobs() -> [CompressionJob] {
        defer { jobs = [] }
        return jobs
    }

    /// Copies the bytes of open groups out of a batch, so that a few small bodies do not keep a whole batch in memory.
    ///
    /// Returns the new places of those bodies.
    mutating func detach() -> [(body: UInt32, slice: BodySlice)] {
        var moved: [(body: UInt32, slice: BodySlice)] = []
        for name in groups.keys {
            guard let group = groups[name], group.detachedCount < group.members.count else { continue }
            let new = group.members[group.detachedCount...]
            let own = SharedBuffer(new.reduce(0) { $0 + $1.slice.count })
            var position = 0
            for (number, member) in zip(new.indices, new) {
                let copy = BodySlice(buffer: own, range: position..<position + member.slice.count)
                UnsafeMutableRawBufferPointer(rebasing: own.bytes[copy.range]).copyMemory(from: member.slice.bytes)
                position += member.slice.count
                groups[name]?.members[number].slice = copy
                moved.append((member.body, copy))
            }
            groups[name]?.detachedCount = group.members.count
        }
        return moved
    }
}

/// A block to compress.
struct CompressionJob: Sendable {
    /// The place from which the decoded bytes of a block are taken.
    enum Source: Sendable {
        /// The bytes in pieces, one for each body of a shared block, or a single part of a long body.
        case memory([BodySlice])
        /// A part of a file that is too long for memory, from an offset in bytes, with the CRC that it had when the file was hashed.
        case file(OpenSourceFile, offset: UInt64, checksum: UInt32)
    }

    /// A body that ends in the block.
    struct Body: Sendable {
        /// The number of the body in the builder.
        let number: UInt32
        /// The offset of the body in its first block.
        let offset: UInt32
    }

    /// The number of the block, which is also its position in the file.
    let block: UInt32
    let source: Source
    /// The decoded length of the block, in bytes.
    let length: Int
    /// The number of the dictionary, or -1.
    let dictionary: Int32
    /// The bodies in memory whose last bytes are in the block, and that are released when it is written; none for a part of a file.
    let bodies: [Body]
    /// Whether these bodies share the block, and so get their positions only now.
    let isShared: Bool
    /// The row of a block of the earlier edition that may have the same bytes.
    let earlierBlock: Int?
}
