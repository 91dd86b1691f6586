// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchiveFormat

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The index of one commit, page by page: a page is read and checked against its checksum at its first use.
///
/// Every byte of an index that a reader uses goes through ``bytes(at:count:)``. Specification section 4, "Index pages".
///
/// The pages of a source that is not mapped are copied into memory of this object: address space for the whole index is reserved
/// at once, at the same cost for any length, and the system allocates memory only for used pages. Data that have been checked
/// there can no longer change.
final class VerifiedPages: @unchecked Sendable {
    // The bytes of a page and its bit are written under the lock, the bit last and with release order; a thread that sees the bit set
    // (acquire) therefore sees the whole page, and no thread writes it again.
    private let base: UnsafeMutableRawPointer
    private let bits: UnsafeMutablePointer<Atomic<UInt64>>
    private let lock = Mutex(())
    private let source: any ByteSource
    private let index: FileExtent
    private let sums: FileExtent
    private let proof: CommitProof?
    /// The proved pieces of the index in memory, which only the holder of the lock accesses.
    private var proved: Set<Int> = []
    private let ownsBase: Bool
    private let residentCount = Atomic(0)
    /// The length of the index, in bytes.
    let length: Int

    private static let pageShift = 12
    /// The length of a page of the system, in bytes. If it is longer, a page cannot be released without its neighbours.
    private static let systemPageLength = sysconf(CInt(_SC_PAGESIZE))

    /// Reserves address space for the index, unless the source is mapped. It reads nothing yet.
    ///
    /// - Throws: `limitExceeded` without address space.
    init(
        source: any ByteSource, index: FileExtent, sums: FileExtent, proof: CommitProof? = nil
    ) throws(ArchiveError) {
        self.source = source
        self.index = index
        self.sums = sums
        self.proof = proof
        length = Int(index.length)
        let pageCount = (length + FormatLimits.pageLength - 1) / FormatLimits.pageLength
        if let mapped = source.mappedBytes?.baseAddress {
            base = UnsafeMutableRawPointer(mutating: mapped) + Int(index.offset)
            ownsBase = false
        } else {
            base = try Self.reserve(length)
            ownsBase = true
        }
        let words = try Self.reserve(Self.bitmapLength(pageCount))
        bits = words.bindMemory(to: Atomic<UInt64>.self, capacity: pageCount / 64 + 1)
    }

    deinit {
        if ownsBase { munmap(base, max(length, 1)) }
        munmap(bits, Self.bitmapLength((length + FormatLimits.pageLength - 1) / FormatLimits.pageLength))
    }

    private static func bitmapLength(_ pageCount: Int) -> Int { (pageCount / 64 + 1) * 8 }

    /// Reserves zeroed memory that the system allocates on first use.
    private static func reserve(_ length: Int) throws(ArchiveError) -> UnsafeMutableRawPointer {
        let address = mmap(nil, max(length, 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0)
        guard let address, address != MAP_FAILED else {
            throw ArchiveError(.limitExceeded, "not enough address space for an index of \(length) bytes")
        }
        return address
    }

    /// Returns the file offset of a position in the index, for errors.
    func fileOffset(_ position: Int) -> UInt64 { index.offset + UInt64(position) }

    /// Returns checked bytes of the index, valid for the lifetime of this object. Any number of threads may call it at once.
    ///
    /// - Throws: `damaged` for a page that does not match its checksum, or bytes outside the index; errors of the
    ///   source.
    @inline(__always)
    func bytes(at position: Int, count: Int) throws(ArchiveError) -> UnsafeRawBufferPointer {
        guard position >= 0, count >= 0, position <= length, count <= length - position else {
            throw .damaged("the index refers to bytes past its end", offset: index.offset)
        }
        guard count > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let first = position >> Self.pageShift
        let last = (position + count - 1) >> Self.pageShift
        if !isVerified(first) || (last != first && !isVerified(last)) || last - first > 1 {
            try verify(first...last)
        }
        return UnsafeRawBufferPointer(start: base + position, count: count)
    }

    @inline(__always)
    private func isVerified(_ page: Int) -> Bool {
        bits[page >> 6].load(ordering: .acquiring) & (1 << UInt64(page & 63)) != 0
    }

    /// Checks the unchecked pages of a range.
    ///
    /// The bits are read by words: a string of 1 MiB has 256 pages, and every row may refer to it.
    @inline(never)
    private func verify(_ pages: ClosedRange<Int>) throws(ArchiveError) {
        for word in (pages.lowerBound >> 6)...(pages.upperBound >> 6) {
            let inWord = pages.clamped(to: (word << 6)...((word << 6) | 63))
            let wanted = (UInt64.max >> UInt64(64 - inWord.count)) << UInt64(inWord.lowerBound & 63)
            guard bits[word].load(ordering: .acquiring) & wanted != wanted else { continue }
            for page in inWord where !isVerified(page) { try verify(page) }
        }
    }

    @inline(never)
    private func verify(_ page: Int) throws(ArchiveError) {
        let result = lock.withLock { _ -> Result<Void, ArchiveError> in
            if isVerified(page) { return .success(()) }
            return Result { () throws(ArchiveError) in try bringIn(page) }
        }
        try result.get()
    }

    private func bringIn(_ page: Int) throws(ArchiveError) {
        let start = page << Self.pageShift
        let count = min(FormatLimits.pageLength, length - start)
        let place = index.offset + UInt64(start)
        let piece = start / Int(TreeShape.pieceLength)
        let isProved = proof == nil || proved.contains(piece)
        if proof == nil, ownsBase {
            try source.read(at: place, into: UnsafeMutableRawBufferPointer(start: base + start, count: count))
        } else if !isProved {
            try readPiece(piece)
        }
        let sum = try source.bytes(at: sums.offset + 4 * UInt64(page), count: 4)
        var cursor = ByteCursor(sum, at: sums.offset)
        guard try cursor.integer() == Checksum.of(UnsafeRawBufferPointer(start: base + start, count: count)) else {
            // A sparse file has any number of wrong pages at no cost.
            if ownsBase, !isProved || proof == nil, Self.systemPageLength == FormatLimits.pageLength {
                madvise(base + start, count, MADV_DONTNEED)
            }
            throw ArchiveError(
                .damaged, "a page of the index does not match its checksum", path: source.name, offset: place)
        }
        if let proof, !isProved {
            try proof.checkPiece(piece, of: .index, UnsafeRawBufferPointer(pieceMemory(piece)))
            proved.insert(piece)
        }
        residentCount.wrappingAdd(1, ordering: .relaxed)
        bits[page >> 6].bitwiseOr(1 << UInt64(page & 63), ordering: .releasing)
    }

    /// Returns the memory of a piece, the unit in which the index is proved: 16 pages, fewer at its end.
    private func pieceMemory(_ piece: Int) -> UnsafeMutableRawBufferPointer {
        let start = piece * Int(TreeShape.pieceLength)
        return UnsafeMutableRawBufferPointer(
            start: base + start, count: min(Int(TreeShape.pieceLength), length - start))
    }

    /// Reads a piece that was not proved, so that none of its pages is in use.
    private func readPiece(_ piece: Int) throws(ArchiveError) {
        guard ownsBase else { return }
        try source.read(at: index.offset + UInt64(piece) * TreeShape.pieceLength, into: pieceMemory(piece))
    }

    /// Checks every page, and calls `report` with the errors of those that are damaged or cannot be read.
    ///
    /// - Parameter afterSome: a function that is called now and then, while no page is in use.
    func check(afterSome: () -> Void, report: (ArchiveError) -> Void) {
        for page in 0..<(length + FormatLimits.pageLength - 1) / FormatLimits.pageLength {
            do throws(ArchiveError) { try verify(page) } catch { report(error) }
            if page % 1024 == 1023 { afterSome() }
        }
    }

    /// The memory that the pages take, in bytes.
    var residentLength: Int { ownsBase ? residentCount.load(ordering: .relaxed) * FormatLimits.pageLength : 0 }

    /// Releases the memory of all pages; they are read and checked again at their next use.
    ///
    /// No bytes that ``bytes(at:count:)`` returned may be in use, on any thread.
    func release() {
        guard ownsBase else { return }
        lock.withLock { _ in proved.removeAll() }
        let pageCount = (length + FormatLimits.pageLength - 1) / FormatLimits.pageLength
        for word in 0..<pageCount / 64 + 1 { bits[word].store(0, ordering: .relaxed) }
        madvise(base, length, MADV_DONTNEED)
        residentCount.store(0, ordering: .relaxed)
    }
}
