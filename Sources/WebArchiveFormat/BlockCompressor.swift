// SPDX-License-Identifier: Apache-2.0

private import CLZ4

/// A compressor of blocks at one level, which reuses one state; one for each thread.
///
/// It is public for the benchmarks, which are a separate package. A compressor takes about 1.1 MiB, and
/// LZ4's state twice. The result depends only on block, dictionary and level, not on earlier blocks
/// (specification section 11).
public final class BlockCompressor {
    private let level: CompressionLevel
    private let state: LZ4State
    /// The state just before a block that follows ``dictionary`` in the window.
    private let primed: LZ4State
    private var dictionary: PreparedDictionary?
    /// The last dictionary, followed by room for a block: LZ4 then finds matches in both as in one text, which takes a fifth
    /// less time than a dictionary elsewhere in memory.
    private let window: UnsafeMutableRawBufferPointer

    private static let dictionaryLength = FormatLimits.maximumDictionaryLength
    private static let blockLength = FormatLimits.maximumBlockLength

    /// Creates a compressor, with room for a dictionary and a block of 1 MiB.
    public init(level: CompressionLevel) {
        self.level = level
        state = LZ4State(level)
        primed = LZ4State(level)
        window = .allocate(byteCount: Self.dictionaryLength + Self.blockLength, alignment: 64)
    }

    deinit { window.deallocate() }

    /// Returns room for a block of `length` bytes. A block that is assembled here is not copied again by
    /// ``compress(_:dictionary:into:)``.
    ///
    /// - Parameter length: at most 1 MiB.
    package func room(_ length: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: window[Self.dictionaryLength..<Self.dictionaryLength + length])
    }

    /// Compresses `block` into `stored`, whose length is the maximum length of the result.
    ///
    /// - Parameters:
    ///   - block: the block, 1 byte to 1 MiB.
    ///   - dictionary: a dictionary prepared for the same level, which is a precondition; nil for none. Reusing the last one costs only
    ///     a copy of LZ4's state.
    ///   - stored: the memory of the caller; its content is undefined if the result does not fit.
    /// - Returns: the length of the result, or nil if it does not fit: then the block is to be stored raw.
    public func compress(
        _ block: UnsafeRawBufferPointer, dictionary: PreparedDictionary?, into stored: UnsafeMutableRawBufferPointer
    ) -> Int? {
        let target = stored.baseAddress?.assumingMemoryBound(to: CChar.self)
        let (count, capacity) = (Int32(block.count), Int32(stored.count))
        let length: Int32
        if let dictionary {
            let source = follow(dictionary, with: block)
            length =
                level.isHighCompression
                ? LZ4_compress_HC_continue(state.highCompression, source, target, count, capacity)
                : LZ4_compress_fast_continue(state.fast, source, target, count, capacity, level.acceleration)
        } else {
            let source = block.baseAddress?.assumingMemoryBound(to: CChar.self)
            length =
                level.isHighCompression
                ? LZ4_compress_HC_extStateHC(
                    state.bytes.baseAddress, source, target, count, capacity, level.highCompressionLevel)
                : LZ4_compress_fast_extState(
                    state.bytes.baseAddress, source, target, count, capacity, level.acceleration)
        }
        return length > 0 ? Int(length) : nil
    }

    /// Copies the dictionary and the block into the window, and moves the state to the start of the block.
    private func follow(_ new: PreparedDictionary, with block: UnsafeRawBufferPointer) -> UnsafePointer<CChar>? {
        // The state of a different level has a different size.
        precondition(new.level == level)
        if dictionary !== new {
            primed.copy(new.state)
            let place = UnsafeMutableRawBufferPointer(
                rebasing: window[Self.dictionaryLength - new.length..<Self.dictionaryLength])
            primed.moveDictionary(to: place, level)
            dictionary = new
        }
        state.copy(primed)
        let room = room(block.count)
        if block.baseAddress != UnsafeRawPointer(room.baseAddress) { room.copyMemory(from: block) }
        return UnsafeRawPointer(room.baseAddress)?.assumingMemoryBound(to: CChar.self)
    }
}

/// A dictionary prepared for one level: its bytes, and the compressor's state after it has read them.
///
/// Compressors of several threads may use one at once. Specification section 5.
public final class PreparedDictionary: @unchecked Sendable {
    // The bytes and the state are written in init only; compressors copy the state.
    fileprivate let state: LZ4State
    fileprivate let level: CompressionLevel
    private let bytes: UnsafeMutableRawBufferPointer

    fileprivate var length: Int { bytes.count }

    /// Reads a dictionary, at the cost of one copy and one pass over it.
    ///
    /// - Parameters:
    ///   - contents: the contents, 1 to 65,536 bytes, which is a precondition.
    ///   - level: the level of the compressors that will use it.
    public init(_ contents: [UInt8], level: CompressionLevel) {
        precondition((1...FormatLimits.maximumDictionaryLength).contains(contents.count))
        bytes = .allocate(byteCount: contents.count, alignment: 16)
        bytes.copyBytes(from: contents)
        self.level = level
        state = LZ4State(level)
        state.load(UnsafeRawBufferPointer(bytes), level)
    }

    deinit { bytes.deallocate() }
}

/// The working memory of LZ4; a copy of it is equivalent to the original.
private final class LZ4State {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ level: CompressionLevel) {
        let size = level.isHighCompression ? MemoryLayout<LZ4_streamHC_t>.size : MemoryLayout<LZ4_stream_t>.size
        bytes = .allocate(byteCount: size, alignment: 16)
    }

    deinit { bytes.deallocate() }

    var fast: UnsafeMutablePointer<LZ4_stream_t>? { bytes.baseAddress?.assumingMemoryBound(to: LZ4_stream_t.self) }

    var highCompression: UnsafeMutablePointer<LZ4_streamHC_t>? {
        bytes.baseAddress?.assumingMemoryBound(to: LZ4_streamHC_t.self)
    }

    func copy(_ other: LZ4State) { bytes.copyMemory(from: UnsafeRawBufferPointer(other.bytes)) }

    func load(_ dictionary: UnsafeRawBufferPointer, _ level: CompressionLevel) {
        let text = dictionary.baseAddress?.assumingMemoryBound(to: CChar.self)
        if level.isHighCompression {
            let stream = LZ4_initStreamHC(bytes.baseAddress, bytes.count)
            LZ4_resetStreamHC_fast(stream, level.highCompressionLevel)
            LZ4_loadDictHC(stream, text, Int32(dictionary.count))
        } else {
            let stream = LZ4_initStream(bytes.baseAddress, bytes.count)
            LZ4_loadDict(stream, text, Int32(dictionary.count))
        }
    }

    /// Copies the dictionary that the state has read, and continues with the copy.
    func moveDictionary(to place: UnsafeMutableRawBufferPointer, _ level: CompressionLevel) {
        let text = place.baseAddress?.assumingMemoryBound(to: CChar.self)
        if level.isHighCompression {
            LZ4_saveDictHC(highCompression, text, Int32(place.count))
        } else {
            LZ4_saveDict(fast, text, Int32(place.count))
        }
    }
}
