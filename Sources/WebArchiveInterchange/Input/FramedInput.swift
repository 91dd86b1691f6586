// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The decoded bytes of a compressed file, which may consist of several frames: of gzip, those are the members (RFC 1952 section 2.2).
final class FramedInput: ByteInput {
    private let source: any ByteInput
    private let decoder: any FrameDecoder
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)
    private var start = 0
    private var end = 0
    private var isInFrame = false
    /// Whether the decoder may have more output without further input.
    private var isFull = false
    /// The content of a frame that was decoded as a whole, and the part of it that was not read yet.
    private var content: [UInt8] = []
    private var contentLeft = 0..<0
    /// The error of the source that comes after the bytes in the buffer.
    private var failure: ArchiveError?
    /// The offset in the file of the frame that is being decoded.
    private var frameOffset: UInt64 = 0

    init(_ source: any ByteInput, _ decoder: any FrameDecoder) { (self.source, self.decoder) = (source, decoder) }

    var name: String { source.name }
    var isPlain: Bool { false }
    var fileOffset: UInt64 { source.fileOffset - UInt64(end - start) }
    var readLength: UInt64 { source.readLength }

    func read(into output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        while true {
            if !contentLeft.isEmpty { return takeContent(into: output) }
            if start == end, !isFull, try !fill() {
                guard isInFrame else { return 0 }
                isInFrame = false
                throw ArchiveError(.truncated, "the last \(decoder.unit) is cut off", path: name, offset: frameOffset)
            }
            if !isInFrame {
                guard try beginFrame() else { return 0 }
                if isInFrame { decodeWhole() }
                continue
            }
            do throws(ArchiveError) {
                let (from, to, decoder) = (start, end, decoder)
                let step = try buffer.withBytes { (bytes) throws(ArchiveError) in
                    try decoder.step(UnsafeRawBufferPointer(rebasing: bytes[from..<to]), into: output)
                }
                start += step.consumed
                isFull = !step.isAtEnd && step.produced == output.count
                isInFrame = !step.isAtEnd
                if step.produced > 0 { return step.produced }
                guard step.consumed > 0 || step.isAtEnd || from == to else { throw .damaged("no progress") }
            } catch {
                (isInFrame, isFull) = (false, false)
                throw ArchiveError(.damaged, "the \(decoder.unit) cannot be decoded", path: name, offset: frameOffset)
            }
        }
    }

    /// Decodes a frame as a whole, if most of the next frames can be there.
    private func decodeWhole() {
        guard decoder.decodesWholeFrames else { return }
        if content.isEmpty { content = [UInt8](repeating: 0, count: 1 << 20) }
        if end - start < buffer.count / 2 {
            moveToFront()
            do throws(ArchiveError) {
                while end < buffer.count, try append() {}
            } catch {
                failure = error
            }
        }
        let (from, to, decoder) = (start, end, decoder)
        let frame = buffer.withUnsafeBytes { bytes in
            content.withUnsafeMutableBytes { content in
                decoder.wholeFrame(UnsafeRawBufferPointer(rebasing: bytes[from..<to]), into: content)
            }
        }
        guard let frame else { return }
        start += frame.consumed
        contentLeft = 0..<frame.produced
        isInFrame = false
    }

    private func takeContent(into output: UnsafeMutableRawBufferPointer) -> Int {
        let part = contentLeft.prefix(output.count)
        content.withUnsafeBytes { output.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[part])) }
        contentLeft = contentLeft.dropFirst(part.count)
        return part.count
    }

    /// Begins the next frame; false at the end of the file.
    private func beginFrame() throws(ArchiveError) -> Bool {
        frameOffset = fileOffset
        // Some writers pad with zeros (RFC 1952 says nothing about it, gzip ignores them).
        while start < end, buffer[start] == 0, frameOffset > 0 { start += 1 }
        guard start < end else { return try fill() }
        guard decoder.isStart(buffer[start..<end]) else {
            throw ArchiveError(.damaged, "no \(decoder.unit) begins here", path: name, offset: fileOffset)
        }
        decoder.reset()
        isInFrame = true
        return true
    }

    /// Looks for the next signature of a frame.
    func skipDamage() throws(ArchiveError) -> Bool {
        // Not the same place again.
        if start < end { start += 1 }
        while true {
            if end - start < decoder.signature.count {
                moveToFront()
                guard try append() else { return false }
                continue
            }
            if buffer[start] == decoder.signature[0], buffer[start..<end].starts(with: decoder.signature) {
                decoder.reset()
                (isInFrame, frameOffset) = (true, fileOffset)
                return true
            }
            start += 1
        }
    }

    /// Moves the bytes that were not consumed to the front of the buffer.
    private func moveToFront() {
        let rest = Array(buffer[start..<end])
        buffer.replaceSubrange(0..<rest.count, with: rest)
        (start, end) = (0, rest.count)
    }

    private func fill() throws(ArchiveError) -> Bool {
        (start, end) = (0, 0)
        return try append()
    }

    private func append() throws(ArchiveError) -> Bool {
        if let failure {
            self.failure = nil
            throw failure
        }
        let (from, source) = (end, source)
        let count = try buffer.withMutableBytes { (bytes) throws(ArchiveError) in
            try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[from...]))
        }
        end += count
        return count > 0
    }
}
