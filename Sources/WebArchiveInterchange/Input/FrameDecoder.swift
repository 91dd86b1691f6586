// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A decoder of compressed frames, one after another.
protocol FrameDecoder: AnyObject {
    /// The name of a frame, for errors.
    var unit: String { get }
    /// The first bytes of a frame.
    var signature: [UInt8] { get }

    /// Returns whether a frame, or one to skip, begins with the bytes, of which there may be few.
    func isStart(_ bytes: ArraySlice<UInt8>) -> Bool

    /// Begins a new frame.
    func reset()

    /// Whether ``wholeFrame(_:into:)`` can decode frames.
    var decodesWholeFrames: Bool { get }

    /// Decodes the frame with which some bytes begin, if it is there as a whole.
    ///
    /// - Returns: the numbers of bytes of the frame and of its content; nil if it must be decoded step by step.
    func wholeFrame(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> (consumed: Int, produced: Int)?

    /// Decodes as much as the input has and the output takes.
    ///
    /// - Throws: `damaged`.
    func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) -> DecodingStep
}

extension FrameDecoder {
    var decodesWholeFrames: Bool { false }

    func wholeFrame(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> (consumed: Int, produced: Int)? { nil }
}

extension ZstandardStream: FrameDecoder {
    var unit: String { "zstd frame" }
    var signature: [UInt8] { [0x28, 0xB5, 0x2F, 0xFD] }

    // A skippable frame begins with a byte from 0x50 (RFC 8878 section 3.1.2).
    func isStart(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first == signature[0] || bytes.first.map { $0 & 0xF0 == 0x50 } == true
    }
}

extension LZ4FrameStream: FrameDecoder {
    var unit: String { "LZ4 frame" }
    var signature: [UInt8] { [0x04, 0x22, 0x4D, 0x18] }

    func isStart(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first == signature[0] || bytes.first.map { $0 & 0xF0 == 0x50 } == true
    }
}

extension XZStream: FrameDecoder {
    var unit: String { "xz stream" }
    var signature: [UInt8] { [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00] }

    func isStart(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.first == signature[0] }
}
