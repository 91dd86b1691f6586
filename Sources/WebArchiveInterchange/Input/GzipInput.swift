// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The decoded bytes of a gzip file, which may have several members (RFC 1952 section 2.2).
final class GzipInput: ByteInput {
    private let source: any ByteInput
    private let inflater: Inflater
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var start = 0
    private var end = 0
    private var isInMember = false
    /// The offset in the file of the member that is being decoded.
    private var memberOffset: UInt64 = 0

    init(_ source: any ByteInput) throws(ArchiveError) {
        self.source = source
        inflater = try Inflater(.wrapped)
    }

    var name: String { source.name }
    var isPlain: Bool { false }
    var fileOffset: UInt64 { source.fileOffset - UInt64(end - start) }

    func read(into output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        while true {
            if start == end, try !fill() {
                guard isInMember else { return 0 }
                isInMember = false
                throw ArchiveError(.truncated, "the last gzip member is cut off", path: name, offset: memberOffset)
            }
            if !isInMember {
                guard try beginMember() else { return 0 }
                continue
            }
            do throws(ArchiveError) {
                let (from, to) = (start, end)
                let step = try buffer.withBytes { (bytes) throws(ArchiveError) in
                    try inflater.step(UnsafeRawBufferPointer(rebasing: bytes[from..<to]), into: output)
                }
                start += step.consumed
                isInMember = !step.isAtEnd
                if step.produced > 0 { return step.produced }
                guard step.consumed > 0 || step.isAtEnd else { throw .damaged("no progress") }
            } catch {
                isInMember = false
                throw ArchiveError(.damaged, "the gzip member cannot be decoded", path: name, offset: memberOffset)
            }
        }
    }

    /// Begins the next member; false at the end of the file.
    private func beginMember() throws(ArchiveError) -> Bool {
        memberOffset = fileOffset
        // Some writers pad with zeros (RFC 1952 says nothing about it, gzip ignores them).
        while start < end, buffer[start] == 0, memberOffset > 0 { start += 1 }
        guard start < end else { return try fill() }
        guard buffer[start] == 0x1F else {
            throw ArchiveError(.damaged, "no gzip member begins here", path: name, offset: fileOffset)
        }
        inflater.reset()
        isInMember = true
        return true
    }

    /// Looks for the next three bytes with which a member can begin: its signature and the method deflate.
    func skipDamage() throws(ArchiveError) -> Bool {
        // Not the same place again.
        if start < end { start += 1 }
        while true {
            if end - start < 3 {
                let rest = Array(buffer[start..<end])
                buffer.replaceSubrange(0..<rest.count, with: rest)
                (start, end) = (0, rest.count)
                guard try append() else { return false }
                continue
            }
            if buffer[start] == 0x1F, buffer[start + 1] == 0x8B, buffer[start + 2] == 8 {
                inflater.reset()
                (isInMember, memberOffset) = (true, fileOffset)
                return true
            }
            start += 1
        }
    }

    private func fill() throws(ArchiveError) -> Bool {
        (start, end) = (0, 0)
        return try append()
    }

    private func append() throws(ArchiveError) -> Bool {
        let (from, source) = (end, source)
        let count = try buffer.withMutableBytes { (bytes) throws(ArchiveError) in
            try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[from...]))
        }
        end += count
        return count > 0
    }
}
