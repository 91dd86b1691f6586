// SPDX-License-Identifier: Apache-2.0

/// The bytes that a stored body can be compared with.
package protocol BodyBytes {
    /// Returns whether the bytes from `position` on are `chunk`.
    func equals(_ chunk: UnsafeRawBufferPointer, at position: UInt64) throws(ArchiveError) -> Bool
}

/// A body in memory.
package struct MemoryBody: BodyBytes {
    private let bytes: UnsafeRawBufferPointer

    /// Creates a body of bytes that stay valid while it is compared.
    package init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package func equals(_ chunk: UnsafeRawBufferPointer, at position: UInt64) -> Bool {
        let start = Int(position)
        guard start + chunk.count <= bytes.count else { return false }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + chunk.count]).isEqual(to: chunk)
    }
}

extension ArchiveBody: BodyBytes {
    package func equals(_ chunk: UnsafeRawBufferPointer, at position: UInt64) throws(ArchiveError) -> Bool {
        let end = position + UInt64(chunk.count)
        guard end <= length else { return false }
        var (rest, isEqual) = (chunk[...], true)
        try forEachBuffer(in: position..<end) { own throws(ArchiveError) in
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(own.count))
            rest = rest.dropFirst(own.count)
            isEqual = isEqual && own.isEqual(to: part)
        }
        return isEqual
    }

    /// Returns whether a body of the same length has these bytes. It decodes nothing after the block with the first difference.
    ///
    /// - Throws: `damaged`, `io`.
    func equals(_ bytes: some BodyBytes) throws(ArchiveError) -> Bool {
        for start in stride(from: 0, to: length, by: blockLength) {
            let end = min(start + UInt64(blockLength), length)
            var (position, isEqual) = (start, true)
            try forEachBuffer(in: start..<end) { chunk throws(ArchiveError) in
                if isEqual { isEqual = try bytes.equals(chunk, at: position) }
                position += UInt64(chunk.count)
            }
            guard isEqual else { return false }
        }
        return true
    }
}

extension ArchiveReader {
    /// The maximum number of rows of one digest that are examined: an archive can consist only of such rows.
    private static let maximumLookCount = 256

    /// Finds some bodies with a digest and a length, those of older commits first.
    package func bodies(
        _ digest: ContentDigest, length: UInt64, filters: [Int: DigestFilter] = [:]
    ) throws(ArchiveError) -> [ArchiveBody] {
        var found: [ArchiveBody] = []
        var looked = 0
        for (number, commit) in index.commits.enumerated() where filters[number]?.mayContain(digest) ?? true {
            for row in try commit.bodies(digest) {
                guard found.count < DigestTable.maximumOfOneDigest, looked < Self.maximumLookCount else { return found }
                looked += 1
                let body = try body(RowPlace(commit: UInt32(number), row: UInt32(row)))
                if body.length == length { found.append(body) }
            }
        }
        return found
    }
}
