// SPDX-License-Identifier: Apache-2.0

private import CLZ4

/// How a block is stored. Specification section 5.
public enum BlockCoding: Int64, Sendable {
    case raw = 0
    case lz4 = 1

    /// Decodes an LZ4 block; `decoded` must be filled exactly. Throws `damaged` otherwise.
    public static func decodeLZ4(
        _ stored: UnsafeRawBufferPointer, dictionary: UnsafeRawBufferPointer,
        into decoded: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) {
        // LZ4_decompress_safe_* never reads or writes outside the lengths given, whatever the input.
        let length = LZ4_decompress_safe_usingDict(
            stored.baseAddress, decoded.baseAddress, Int32(stored.count), Int32(decoded.count),
            dictionary.baseAddress, Int32(dictionary.count))
        guard length == Int32(decoded.count) else { throw .damaged("a block that LZ4 cannot decode to its length") }
    }
}

/// How hard LZ4 tries.
public enum CompressionLevel: Hashable, Sendable, CustomStringConvertible {
    /// LZ4's fast mode with an acceleration above 1: quicker than level 1, larger.
    case fast
    /// 1 is LZ4's fast mode, 2 to 12 are LZ4HC.
    case level(Int)

    public static let standard = CompressionLevel.level(1)

    /// Takes `fast` or a number from 1 to 12.
    public init?(_ text: String) {
        if text == "fast" {
            self = .fast
        } else if let number = Int(text), (1...12).contains(number) {
            self = .level(number)
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .fast: "fast"
        case .level(let number): String(number)
        }
    }

    var isHighCompression: Bool { if case .level(let number) = self { number > 1 } else { false } }
    var acceleration: Int32 { self == .fast ? 8 : 1 }
    var highCompressionLevel: Int32 { if case .level(let number) = self { Int32(number) } else { 0 } }
}

/// A dictionary made ready for one level: its bytes, and the compressor's state after it has read them.
public final class PreparedDictionary: @unchecked Sendable {
    // Both buffers are written in init only and freed in deinit; LZ4 copies the state before each block.
    fileprivate let bytes: UnsafeMutableRawBufferPointer
    fileprivate let state: UnsafeMutableRawBufferPointer

    /// `contents` has 1 to 65,536 bytes.
    public init(_ contents: [UInt8], level: CompressionLevel) {
        precondition((1...FormatLimits.maximumDictionaryLength).contains(contents.count))
        bytes = .allocate(byteCount: contents.count, alignment: 16)
        bytes.copyBytes(from: contents)
        state = BlockCompressor.allocateState(for: level)
        let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        if level.isHighCompression {
            let stream = LZ4_initStreamHC(state.baseAddress, state.count)
            LZ4_resetStreamHC_fast(stream, level.highCompressionLevel)
            LZ4_loadDictHC(stream, text, Int32(bytes.count))
        } else {
            let stream = LZ4_initStream(state.baseAddress, state.count)
            LZ4_loadDict(stream, text, Int32(bytes.count))
        }
    }

    deinit {
        bytes.deallocate()
        state.deallocate()
    }
}

/// Compresses blocks at one level, reusing one state; one for each thread.
public final class BlockCompressor {
    private let level: CompressionLevel
    private let state: UnsafeMutableRawBufferPointer

    public init(level: CompressionLevel) {
        self.level = level
        state = Self.allocateState(for: level)
    }

    deinit { state.deallocate() }

    fileprivate static func allocateState(for level: CompressionLevel) -> UnsafeMutableRawBufferPointer {
        let size = level.isHighCompression ? MemoryLayout<LZ4_streamHC_t>.size : MemoryLayout<LZ4_stream_t>.size
        return .allocate(byteCount: size, alignment: 16)
    }

    /// Compresses `block` into `stored`, whose length is the most that the result may have.
    ///
    /// Returns the length of the result, or nil if it does not fit: then the block is to be stored raw.
    public func compress(
        _ block: UnsafeRawBufferPointer, dictionary: PreparedDictionary?, into stored: UnsafeMutableRawBufferPointer
    ) -> Int? {
        let source = block.baseAddress?.assumingMemoryBound(to: CChar.self)
        let target = stored.baseAddress?.assumingMemoryBound(to: CChar.self)
        let (count, capacity) = (Int32(block.count), Int32(stored.count))
        if let dictionary { state.copyMemory(from: UnsafeRawBufferPointer(dictionary.state)) }
        let length: Int32
        if level.isHighCompression {
            length =
                if dictionary != nil {
                    LZ4_compress_HC_continue(
                        state.baseAddress?.assumingMemoryBound(to: LZ4_streamHC_t.self), source, target, count, capacity
                    )
                } else {
                    LZ4_compress_HC_extStateHC(
                        state.baseAddress, source, target, count, capacity, level.highCompressionLevel)
                }
        } else {
            length =
                if dictionary != nil {
                    LZ4_compress_fast_continue(
                        state.baseAddress?.assumingMemoryBound(to: LZ4_stream_t.self), source, target, count, capacity,
                        level.acceleration)
                } else {
                    LZ4_compress_fast_extState(state.baseAddress, source, target, count, capacity, level.acceleration)
                }
        }
        return length > 0 ? Int(length) : nil
    }
}
