// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The bodies of an archive that is being written, in which it finds existing ones, byte for byte.
///
/// Specification section 5, "Equal digests".
final class BodyStore {
    private let file: SequentialWriter
    private let base: ArchiveReader?
    private var table = DigestTable()
    /// The number of comparisons with bodies of earlier commits that may still fail. Each decodes a block, and an archive can contain
    /// bodies with the digests of known files, but not their bytes; bodies beyond this number are stored again.
    private var comparisonsLeft = 1024
    /// Filters of the bodies of earlier commits, by the numbers of these.
    var filters: [Int: DigestFilter] = [:]
    /// The contents of the dictionaries that this commit adds, for reading its own blocks.
    var dictionaryContents: [UInt32: [UInt8]] = [:]

    /// Creates a store without bodies of its own.
    ///
    /// - Parameters:
    ///   - file: the file that is written, from which blocks are read back.
    ///   - base: the archive that is appended to; nil for a new one.
    init(file: SequentialWriter, base: ArchiveReader?) {
        self.file = file
        self.base = base
    }

    /// Makes a body findable. `number` counts from 1 through all commits.
    func insert(_ number: UInt32, _ draft: IndexDraft) {
        let first = draft.firstRow(.body) + 1
        table.insert(number - first) { draft.bodies[Int($0)].digest }
    }

    /// Finds a body with these bytes; nil if there is none.
    ///
    /// Looks at the bodies of this commit first. A digest is never enough: bytes are compared.
    ///
    /// - Parameter comparison: a function that returns whether a body of this commit is equal, or nil if only reading it can decide.
    /// - Returns: its number, from 1 through all commits.
    func find(
        _ digest: ContentDigest, length: UInt64, in draft: IndexDraft, comparing bytes: some BodyBytes,
        comparison: (UInt32) throws(ArchiveError) -> Bool?
    ) throws(ArchiveError) -> UInt32? {
        for row in table.candidates(digest, digestOf: { draft.bodies[Int($0)].digest }) {
            let body = draft.bodies[Int(row)]
            guard body.length == length else { continue }
            let number = draft.firstRow(.body) + row + 1
            let known = try comparison(number)
            if try known == nil ? isEqual(body, in: draft, bytes) : known == true { return number }
        }
        guard let base, comparisonsLeft > 0 else { return nil }
        for body in try base.bodies(digest, length: length, filters: filters) {
            if try isEqual(body, bytes) {
                return UInt32(base.index.commit(body.place).firstRow(.body)) + body.place.row + 1
            }
            comparisonsLeft -= 1
        }
        return nil
    }

    /// Returns whether a body of an earlier commit has these bytes, as far as it is readable: so equal bytes replace damaged ones.
    private func isEqual(_ body: ArchiveBody, _ bytes: some BodyBytes) throws(ArchiveError) -> Bool {
        do throws(ArchiveError) {
            return try body.equals(bytes)
        } catch {
            guard error.code == .damaged else { throw error }
            return false
        }
    }

    private func isEqual(
        _ body: IndexDraft.Body, in draft: IndexDraft, _ bytes: some BodyBytes
    ) throws(ArchiveError) -> Bool {
        var position: UInt64 = 0
        var block = Int(body.block)
        while position < body.length {
            let decoded = try decode(draft.blocks[block], in: draft, block)
            let start = position == 0 ? Int(body.offset) : 0
            let count = min(decoded.count - start, Int(body.length - position))
            let same = try decoded.withBytes { (all) throws(ArchiveError) in
                try bytes.equals(UnsafeRawBufferPointer(rebasing: all[start..<start + count]), at: position)
            }
            guard same else { return false }
            position += UInt64(count)
            block += 1
        }
        return true
    }

    /// Reads a block of this commit. Newly written bytes are trusted: no checksum is computed.
    func decode(_ block: IndexDraft.Block, in draft: IndexDraft, _ number: Int) throws(ArchiveError) -> [UInt8] {
        let end =
            number + 1 < draft.blocks.count
            ? draft.blocks[number + 1].offset : blocksEnd(draft)
        var stored = [UInt8](repeating: 0, count: Int(end - block.offset))
        try stored.withMutableBytes { (buffer) throws(ArchiveError) in
            try file.read(at: blocksStart + block.offset, into: buffer)
        }
        guard block.isCompressed else { return stored }
        var decoded = [UInt8](repeating: 0, count: Int(block.length))
        let dictionary = try dictionaryBytes(block.dictionary)
        try decoded.withMutableBytes { (target) throws(ArchiveError) in
            try stored.withBytes { (stored) throws(ArchiveError) in
                try dictionary.withBytes { (dictionary) throws(ArchiveError) in
                    try BlockCoding.decodeLZ4(stored, dictionary: dictionary, into: target)
                }
            }
        }
        return decoded
    }

    private func dictionaryBytes(_ number: UInt32) throws(ArchiveError) -> [UInt8] {
        guard number > 0 else { return [] }
        if let own = dictionaryContents[number] { return own }
        guard let base, let place = base.index.place(.dictionary, row: Int(number) - 1) else {
            throw ArchiveError(.invalidArgument, "dictionary \(number) does not exist")
        }
        var bytes: [UInt8] = []
        try base.blocks.dictionaryBytes(place).withBytes { chunk throws(ArchiveError) in bytes = Array(chunk) }
        return bytes
    }

    /// The offset of this commit's blocks in the file.
    var blocksStart: UInt64 { base?.index.commits.last?.footer.end ?? UInt64(FormatLimits.headerLength) }

    private func blocksEnd(_ draft: IndexDraft) -> UInt64 { file.position - blocksStart }
}
