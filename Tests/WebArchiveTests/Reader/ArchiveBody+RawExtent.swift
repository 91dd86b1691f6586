// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

@testable import WebArchive

extension ArchiveBody {
    /// The extent of the body in the file; nil unless it is stored raw and in one piece.
    func rawExtent() throws(ArchiveError) -> FileExtent? {
        guard let start else { return nil }
        let first = try store.describe(start.block)
        guard first.coding == .raw else { return nil }
        if UInt64(start.offset) + length <= UInt64(first.length) {
            return try first.stored.part(offset: UInt64(start.offset), length: length)
        }
        for number in 0..<(length + UInt64(blockLength) - 1) / UInt64(blockLength) {
            guard try store.part(number, of: self, from: start).coding == .raw else { return nil }
        }
        return try FileExtent(offset: first.stored.offset, length: length, within: store.index.source.length)
    }
}
