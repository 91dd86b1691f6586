// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The content of a member of a ZIP file, as bytes that come one after another. Its offsets are those in the content.
final class ZIPMemberInput: ByteInput {
    let name: String
    let isPlain = true
    private(set) var fileOffset: UInt64 = 0
    var readLength: UInt64 { member.storedLength - storedLeft }

    private let source: any ByteSource
    private let member: ZIPMember
    /// The place in the file of the next stored byte, and the number of those that are left.
    private var place: UInt64
    private var storedLeft: UInt64
    /// The decoder; nil for a member that is stored as it is.
    private let inflater: Inflater?
    private var buffer: [UInt8] = []
    private var start = 0
    private var checksum = RunningChecksum()
    private var isAtEnd = false

    private static let bufferLength = 1 << 16

    /// - Parameter from: the offset in the file of the stored content.
    /// - Throws: `damaged` for lengths that contradict each other; `limitExceeded` without memory.
    init(
        _ source: any ByteSource, _ member: ZIPMember, _ method: ZIPMember.Method, from: UInt64, name: String
    ) throws(ArchiveError) {
        (self.source, self.member, self.name, place) = (source, member, name, from)
        storedLeft = member.storedLength
        inflater = method == .deflated ? try Inflater(.raw) : nil
        guard inflater != nil || member.length == member.storedLength else {
            throw ArchiveError(.damaged, "a stored ZIP member with two lengths", path: source.name, offset: from)
        }
    }

    func read(into output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        guard !isAtEnd else { return 0 }
        let count: Int
        do throws(ArchiveError) {
            count = try inflater == nil ? readStored(output) : inflate(output)
        } catch {
            isAtEnd = true
            throw error
        }
        checksum.update(UnsafeRawBufferPointer(rebasing: output[..<count]))
        fileOffset += UInt64(count)
        if count == 0 { try end() }
        return count
    }

    /// Returns true: the bytes behind damage are not known, so that the end follows.
    func skipDamage() throws(ArchiveError) -> Bool { true }

    private func readStored(_ output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let count = Int(min(UInt64(output.count), storedLeft))
        guard count > 0 else { return 0 }
        try source.read(at: place, into: UnsafeMutableRawBufferPointer(rebasing: output[..<count]))
        place += UInt64(count)
        storedLeft -= UInt64(count)
        return count
    }

    private func inflate(_ output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        guard let inflater else { return 0 }
        while true {
            if start == buffer.count, storedLeft > 0 {
                let count = Int(min(UInt64(Self.bufferLength), storedLeft))
                (buffer, start) = (try source.bytes(at: place, count: count), 0)
                place += UInt64(count)
                storedLeft -= UInt64(count)
            }
            let from = start
            let step: DecodingStep
            do throws(ArchiveError) {
                step = try buffer.withBytes { (bytes) throws(ArchiveError) in
                    try inflater.step(UnsafeRawBufferPointer(rebasing: bytes[from...]), into: output)
                }
            } catch {
                throw ArchiveError(.damaged, error.message, path: name, offset: fileOffset)
            }
            start += step.consumed
            guard UInt64(step.produced) <= member.length.subtractingSaturated(fileOffset) else {
                throw ArchiveError(.damaged, "the ZIP member is longer than it claims", path: name, offset: fileOffset)
            }
            if step.isAtEnd { (storedLeft, start) = (0, buffer.count) }
            if step.produced > 0 || step.isAtEnd { return step.produced }
            guard step.consumed > 0 || start == buffer.count && storedLeft > 0 else {
                throw ArchiveError(.truncated, "the ZIP member is cut off", path: name, offset: fileOffset)
            }
        }
    }

    /// Checks the whole content.
    private func end() throws(ArchiveError) {
        isAtEnd = true
        guard fileOffset == member.length else {
            throw ArchiveError(.damaged, "the ZIP member is shorter than it claims", path: name, offset: fileOffset)
        }
        guard checksum.value == member.checksum else {
            throw ArchiveError(.damaged, "the ZIP member's checksum does not match", path: name, offset: 0)
        }
    }
}
