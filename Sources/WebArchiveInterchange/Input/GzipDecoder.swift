// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A decoder of the members of a gzip file: short ones as a whole, and others step by step.
final class GzipDecoder: FrameDecoder {
    private let inflater: Inflater
    private let whole: WholeMemberDecoder

    init() throws(ArchiveError) { (inflater, whole) = (try Inflater(.wrapped), try WholeMemberDecoder()) }

    let unit = "gzip member"
    let decodesWholeFrames = true
    // The third byte is the method deflate.
    let signature: [UInt8] = [0x1F, 0x8B, 8]

    func isStart(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.first == signature[0] }

    func reset() { inflater.reset() }

    func wholeFrame(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> (consumed: Int, produced: Int)? { whole.decode(bytes, into: output) }

    func step(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) -> DecodingStep { try inflater.step(input, into: output) }
}
