// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchiveFormat

extension ArchiveWriter {
    /// A body that is being written, from ``ArchiveWriter/beginBody()``, for the thread of its writer.
    ///
    /// Blocks are compressed and written as they fill up. The digest is computed on the way.
    public final class BodyStream {
        private let builder: CommitBuilder
        private var hash = Insecure.MD5()
        private var buffer: [UInt8] = []
        private var length: UInt64 = 0
        private let firstBlock: Int
        private let start: UInt64
        private var blockCount = 0
        private var isEnded = false

        init(_ builder: CommitBuilder) {
            self.builder = builder
            firstBlock = builder.draft.blocks.count
            start = builder.file.position
            buffer.reserveCapacity(builder.blockLength)
        }

        // The last blocks become the body or are taken back, so that they must be this stream's.
        private func checkUse() throws(ArchiveError) {
            guard !isEnded, builder.draft.blocks.count == firstBlock + blockCount else {
                throw ArchiveError(
                    .invalidArgument, "the body stream has ended, or something else was stored since it began")
            }
        }

        /// Adds the next bytes, of any number. They are copied into the block that is being filled.
        ///
        /// - Throws: `invalidArgument` after the end, or if something else was stored meanwhile; `io`, `limitExceeded`,
        ///   `poisoned`.
        public func write(_ bytes: RawSpan) throws(ArchiveError) {
            try bytes.withUnsafeBytes { (buffer) throws(ArchiveError) in try write(buffer) }
        }

        /// Adds the next bytes. As ``write(_:)-(RawSpan)``.
        package func write(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
            try checkUse()
            hash.update(bufferPointer: bytes)
            length += UInt64(bytes.count)
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = rest.prefix(builder.blockLength - buffer.count)
                buffer.append(contentsOf: part)
                rest = rest.dropFirst(part.count)
                if buffer.count == builder.blockLength { try endBlock() }
            }
        }

        /// Adds the next bytes, of any number.
        ///
        /// - Throws: as ``write(_:)-(RawSpan)``.
        public func write(_ bytes: [UInt8]) throws(ArchiveError) {
            try bytes.withBytes { (bytes) throws(ArchiveError) in try write(bytes) }
        }

        private func endBlock() throws(ArchiveError) {
            _ = try buffer.withBytes { (bytes) throws(ArchiveError) in try builder.compressBlock(bytes) }
            buffer.removeAll(keepingCapacity: true)
            blockCount += 1
        }

        /// Finishes the body; discards a duplicate.
        ///
        /// A stored body of the same digest and length is read again to compare it.
        ///
        /// - Returns: the reference for entries and metadata of this commit.
        /// - Throws: `invalidArgument` after the end, or if something else was stored meanwhile; `io`, `limitExceeded`,
        ///   `poisoned`; `damaged` where the index of earlier commits is.
        public func finish() throws(ArchiveError) -> BodyReference {
            try checkUse()
            isEnded = true
            if !buffer.isEmpty { try endBlock() }
            let digest = hash.finalize().withUnsafeBytes { ContentDigest(rawBytes: $0) }
            return try builder.finishBody(digest, length: length, firstBlock: firstBlock, start: start)
        }

        /// Discards the body, unless it was finished. The writer can continue.
        ///
        /// - Throws: `invalidArgument` if something else was stored meanwhile; `io`, `poisoned`.
        public func cancel() throws(ArchiveError) {
            guard !isEnded else { return }
            try checkUse()
            isEnded = true
            try builder.takeBack(firstBlock: firstBlock, start: start)
        }
    }
}
