// SPDX-License-Identifier: Apache-2.0

extension ArchiveBody {
    /// The bytes of a body, or of a range of it, as an asynchronous sequence of blocks: for frameworks that take a
    /// response's content as one.
    ///
    /// A block is read and decoded on demand, by the calling task, which waits for the disk meanwhile;
    /// nothing is read ahead. The sequence takes memory for one block. Each iterator starts at the beginning of the range.
    /// Specification section 5.
    ///
    /// ```swift
    /// for try await chunk in try body.chunks() {
    ///     print(chunk.count)
    /// }
    /// ```
    public struct Chunks: AsyncSequence, Sendable {
        /// The bytes of one block: at least one byte, and at most 1 MiB.
        public typealias Element = [UInt8]
        /// An error of reading: `damaged`, `unsupportedFeature`, `truncated` or `io`.
        public typealias Failure = ArchiveError

        let body: ArchiveBody
        let range: Range<UInt64>

        /// Creates an iterator at the beginning of the range, at no cost.
        public func makeAsyncIterator() -> Iterator { Iterator(body: body, rest: range) }

        /// A position in a body. It stays at a block that could not be read, which the next call reads again.
        public struct Iterator: AsyncIteratorProtocol {
            let body: ArchiveBody
            var rest: Range<UInt64>

            /// Reads the bytes of the next block.
            ///
            /// All but the first and the last chunk have the length of a full block, and start at a multiple of it.
            ///
            /// - Parameter actor: the actor of the caller, on which the block is read.
            /// - Returns: the bytes; nil at the end of the range.
            /// - Throws: as ``ArchiveBody/bytes(in:)``.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(ArchiveError) -> [UInt8]? {
                guard !rest.isEmpty else { return nil }
                let length = UInt64(body.blockLength)
                let end = Swift.min((rest.lowerBound / length + 1) * length, rest.upperBound)
                let bytes = try body.bytes(in: rest.lowerBound..<end)
                rest = end..<rest.upperBound
                return bytes
            }
        }
    }

    /// Creates a sequence of the bytes of a range, or of the whole body, block by block. It reads nothing yet.
    ///
    /// - Parameter range: the range in bytes, from the start of the body; nil, the default, for all of it.
    /// - Returns: a sequence that may be gone through any number of times.
    /// - Throws: `invalidArgument` if the range does not lie inside the body.
    public func chunks(in range: Range<UInt64>? = nil) throws(ArchiveError) -> Chunks {
        let range = range ?? 0..<length
        try check(range)
        return Chunks(body: self, range: range)
    }
}
