// SPDX-License-Identifier: Apache-2.0

extension ArchiveBody {
    /// The bytes of a body, or of a range of it, as an asynchronous sequence of blocks: for frameworks that take a response's content as one.
    ///
    /// A block is read and decoded when it is asked for, by the task that asks; nothing is read ahead. Memory for one block is taken. Each iterator
    /// starts at the beginning of the range. Specification section 5.
    public struct Chunks: AsyncSequence, Sendable {
        /// Bytes of one block: none is empty, and none longer than 1 MiB.
        public typealias Element = [UInt8]
        /// `damaged`, `unsupportedFeature`, `truncated` or `io`.
        public typealias Failure = ArchiveError

        let body: ArchiveBody
        let range: Range<UInt64>

        /// Starts at the beginning of the range.
        public func makeAsyncIterator() -> Iterator { Iterator(body: body, rest: range) }

        /// A position in a body. It stays at a block that could not be read.
        public struct Iterator: AsyncIteratorProtocol {
            let body: ArchiveBody
            var rest: Range<UInt64>

            /// Reads the bytes of the next block; nil at the end of the range.
            ///
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

    /// The bytes of a range, or of the whole body, block by block.
    ///
    /// - Throws: `invalidArgument` if the range does not lie inside the body.
    public func chunks(in range: Range<UInt64>? = nil) throws(ArchiveError) -> Chunks {
        let range = range ?? 0..<length
        try check(range)
        return Chunks(body: self, range: range)
    }
}
