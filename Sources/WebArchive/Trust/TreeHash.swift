// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchiveFormat

/// The hashes of a tree's leaves and groups. Specification section 13.
enum TreeHash {
    /// Computes the hash of a leaf.
    ///
    /// - Parameters:
    ///   - kind: the type of the section, `HEAD` or `FOOT`.
    ///   - offset: the offset of the first byte in the file.
    static func leaf(_ kind: SectionTable.Kind, at offset: UInt64, _ bytes: UnsafeRawBufferPointer) -> SHA256Digest {
        var contents = SHA256()
        contents.update(bufferPointer: bytes)
        var sink = ByteSink()
        sink.integer(UInt8(0))
        sink.integer(kind.rawValue)
        sink.integer(offset)
        sink.integer(UInt64(bytes.count))
        sink.append(contents.finalize())
        return SHA256.hash(data: sink.bytes)
    }

    /// Computes the hash of a leaf.
    static func leaf(_ kind: SectionTable.Kind, at offset: UInt64, _ bytes: [UInt8]) -> SHA256Digest {
        bytes.withUnsafeBytes { leaf(kind, at: offset, $0) }
    }

    /// Computes the hash of the leaf `HEAD`.
    ///
    /// - Parameters:
    ///   - header: the bytes 0 to 31 of the file.
    ///   - statement: the statement of the newest earlier signed commit; nil if there is none.
    static func head(_ header: [UInt8], after statement: SignedStatement?) -> SHA256Digest {
        let before = statement.map { Array(SHA256.hash(data: $0.encoded())) }
        return leaf(.head, at: 0, header + (before ?? [UInt8](repeating: 0, count: TreeShape.hashLength)))
    }

    /// Computes all levels from the hashes of the leaves.
    ///
    /// - Returns: the bytes of `MRKL`, which are all levels but the root, and the root.
    static func levels(_ leaves: [UInt8]) -> (stored: [UInt8], root: [UInt8]) {
        var (stored, level, number) = ([UInt8](), leaves, 0)
        let groupLength = TreeShape.groupLength * TreeShape.hashLength
        while level.count > TreeShape.hashLength {
            stored += level
            let groups = stride(from: 0, to: level.count, by: groupLength).map { start in
                group(number, level[start..<min(start + groupLength, level.count)])
            }
            level = groups.flatMap(Array.init)
            number += 1
        }
        return (stored, level)
    }

    /// Computes the hash of a group of hashes.
    static func group(_ level: Int, _ hashes: some Sequence<UInt8>) -> SHA256Digest {
        var sink = ByteSink()
        sink.integer(UInt8(1))
        sink.integer(UInt8(level))
        sink.append(hashes)
        return SHA256.hash(data: sink.bytes)
    }
}

extension SectionTable.Kind {
    /// The kind of the leaf of a file's header.
    static let head = SectionTable.Kind("HEAD")
    /// The kind of the leaf of a commit's section table and footer.
    static let end = SectionTable.Kind("FOOT")
}
