// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// An assembler that decides which bytes go into which block, file after file, and numbers the blocks in that order.
///
/// Small bodies of one type share blocks of up to 64 KiB, so that neighbours compress each other and reading one of them costs one
/// such block; a larger body has blocks of its own. Specification section 5.
struct BlockAssembler {
    /// The place of a body that is not written yet.
    struct Placement {
        /// Nil while the block is still being filled; its job tells.
        let block: UInt32?
        let offset: UInt32
    }

    private struct Group {
        var slices: [BodySlice] = []
        var bodies: [UInt32] = []
        var length = 0
        let scope: Int32
    }

    private let blockLength: Int
    /// An archive that is appended to may have blocks shorter than a group would be.
    private let groupLength: Int
    private var groups: [Int: Group] = [:]
    private(set) var nextBlock: UInt32 = 0
    /// Jobs that are complete, in the order in which they became so.
    private(set) var jobs: [CompressionJob] = []

    init(blockLength: Int) {
        self.blockLength = blockLength
        groupLength = min(CommitBuilder.groupLength, blockLength)
    }

    /// Places a body that lies in memory. `body` is its number.
    mutating func place(_ slice: BodySlice, body: UInt32, type: Int, isCompressible: Bool, scope: Int32) -> Placement {
        if isCompressible, slice.count < groupLength {
            return placeInGroup(slice, body: body, type: type, scope: scope)
        }
        let first = nextBlock
        for start in stride(from: 0, to: slice.count, by: blockLength) {
            let end = min(start + blockLength, slice.count)
            add(
                .memory([slice.part(start..<end)]), length: end - start, scope: scope,
                bodies: end == slice.count ? [body] : [], isShared: false)
        }
        return Placement(block: first, offset: 0)
    }

    /// Places a body that is read when it is compressed. `checksums` are those of its blocks.
    mutating func place(_ file: OpenSourceFile, length: UInt64, checksums: [UInt32], scope: Int32) -> Placement {
        let first = nextBlock
        for (number, checksum) in checksums.enumerated() {
            let start = UInt64(number) * UInt64(blockLength)
            let count = Int(min(UInt64(blockLength), length - start))
            add(
                .file(file, offset: start, checksum: checksum), length: count, scope: scope, bodies: [],
                isShared: false)
        }
        return Placement(block: first, offset: 0)
    }

    private mutating func add(
        _ source: CompressionJob.Source, length: Int, scope: Int32, bodies: [UInt32], isShared: Bool
    ) {
        jobs.append(
            CompressionJob(
                block: nextBlock, source: source, length: length, scope: scope, bodies: bodies, isShared: isShared))
        nextBlock += 1
    }

    /// Places a body in the block that is being filled for its type; one that does not fit any more, or is of another scope, begins a new
    /// block.
    private mutating func placeInGroup(_ slice: BodySlice, body: UInt32, type: Int, scope: Int32) -> Placement {
        if let open = groups[type], open.scope != scope || open.length + slice.count > groupLength {
            close(type)
        }
        if groups[type] == nil {
            groups[type] = Group(scope: scope)
        }
        let offset = groups[type]?.length ?? 0
        groups[type]?.slices.append(slice)
        groups[type]?.bodies.append(body)
        groups[type]?.length += slice.count
        return Placement(block: nil, offset: UInt32(offset))
    }

    /// Ends the block that is being filled for a type, which has a number from now on.
    private mutating func close(_ type: Int) {
        guard let group = groups.removeValue(forKey: type) else { return }
        add(.memory(group.slices), length: group.length, scope: group.scope, bodies: group.bodies, isShared: true)
    }

    /// Closes what is still open.
    mutating func finish() { for type in groups.keys.sorted() { close(type) } }

    /// Takes the jobs that are complete.
    mutating func takeJobs() -> [CompressionJob] {
        defer { jobs = [] }
        return jobs
    }

    /// Copies what open groups hold of a batch, so that a few small bodies do not keep a whole batch in memory.
    ///
    /// Gives the new places of those bodies.
    mutating func detach() -> [(body: UInt32, slice: BodySlice)] {
        var moved: [(body: UInt32, slice: BodySlice)] = []
        for type in groups.keys {
            guard let group = groups[type] else { continue }
            let own = SharedBuffer(group.length)
            var position = 0
            var slices: [BodySlice] = []
            for (slice, body) in zip(group.slices, group.bodies) {
                let copy = BodySlice(buffer: own, range: position..<position + slice.count)
                UnsafeMutableRawBufferPointer(rebasing: own.bytes[copy.range]).copyMemory(from: slice.bytes)
                position += slice.count
                slices.append(copy)
                moved.append((body, copy))
            }
            groups[type]?.slices = slices
        }
        return moved
    }
}

/// One block that is to be compressed.
struct CompressionJob: Sendable {
    enum Source: Sendable {
        case memory([BodySlice])
        case file(OpenSourceFile, offset: UInt64, checksum: UInt32)
    }

    /// The number of the block, which is also its place in the file.
    let block: UInt32
    let source: Source
    let length: Int
    /// The number of the dictionary's scope, or -1.
    let scope: Int32
    /// Numbers of the bodies that end in this block.
    let bodies: [UInt32]
    /// Whether these bodies share the block, and so learn its number only now.
    let isShared: Bool
}
