// SPDX-License-Identifier: Apache-2.0

extension ArchiveWriter {
    /// Stores a body whose bytes arrive over time, such as a download. It takes memory for one block, for any
    /// length.
    ///
    /// Until it returns, nothing else may be added. If the sequence throws, or the task is cancelled, the partial
    /// body is discarded, and the writer can continue. It runs on the caller's actor, which it holds while a block is
    /// compressed and written.
    ///
    /// ```swift
    /// let film = try await writer.addBody(from: chunks)
    /// ```
    ///
    /// - Parameter chunks: the bytes in their order, in pieces of any length.
    /// - Returns: the reference for entries and metadata of this commit.
    /// - Throws: `io`, `limitExceeded`, `poisoned`, as ``addBody(_:)-([UInt8])``; `CancellationError`; and errors of
    ///   the sequence.
    public nonisolated(nonsending) func addBody<Chunks: AsyncSequence>(
        from chunks: Chunks
    ) async throws -> BodyReference where Chunks.Element: Collection<UInt8> {
        let stream = try beginBody()
        do {
            for try await chunk in chunks {
                try Task.checkCancellation()
                if try chunk.withContiguousStorageIfAvailable({ try stream.write(UnsafeRawBufferPointer($0)) }) == nil {
                    try stream.write(Array(chunk))
                }
            }
            // A sequence may end when its task is cancelled: half a body is none.
            try Task.checkCancellation()
        } catch {
            try stream.cancel()
            throw error
        }
        return try stream.finish()
    }
}
