// SPDX-License-Identifier: Apache-2.0

import Mutation

@testable import WebArchive
@testable import WebArchiveFormat
@testable import WebArchiveUpdates

/// A patch taken apart, so that a stream can change and all that depends on it still be right. Patch specification.
struct PatchParts {
    /// The header, whose checksum is made when the patch is put together.
    var header: [UInt8]
    /// The archive that the patch is for.
    let old: OldBodies
    var records: [PatchRecord] = []
    /// Bytes behind the last record that could be taken apart.
    var tail: [UInt8]

    /// Nil for bytes that are no patch for this archive.
    init?(_ bytes: [UInt8], for old: OldBodies) {
        let source = MemoryByteSource(bytes)
        guard let known = try? PatchHeader(of: source) else { return nil }
        (header, self.old) = (Array(bytes[..<PatchHeader.length]), old)
        tail = []
        var input = PatchInput(source, at: UInt64(PatchHeader.length))
        for _ in 0..<known.commitCount {
            guard let record = PatchRecord(&input, old, fullLength: 1 << Int(known.archiveHeader[13] & 31)) else {
                break
            }
            records.append(record)
            guard record.isWhole else { break }
        }
        tail = (try? input.bytes(Int(input.remaining))) ?? []
    }

    /// The patch, with its checksum right.
    func assembled() -> [UInt8] {
        PatchParts.sealed(header) + records.flatMap { $0.encoded() } + tail
    }

    /// A header with its checksums right, that of the new archive's header included.
    static func sealed(_ header: [UInt8]) -> [UInt8] {
        var header = header
        header.setNumber(UInt64(Checksum.of(header[104..<132])), at: 132, width: 4)
        header.setNumber(UInt64(Checksum.of(header[..<204])), at: 204, width: 4)
        return header
    }
}
