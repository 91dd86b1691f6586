// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The dictionary at the beginning of a WARC file whose records are zstd frames: a skippable frame, whose content may be a zstd frame itself.
enum ZstandardDictionary {
    /// The first bytes of the skippable frame.
    static let signature: ArraySlice<UInt8> = [0x5D, 0x2A, 0x4D, 0x18]
    private static let maximumLength = 8 << 20

    /// Reads the dictionary, with which the input begins.
    ///
    /// - Throws: `truncated`, `limitExceeded`, `damaged`, `io`.
    static func read(_ input: StartOfInput) throws(ArchiveError) -> [UInt8] {
        let head = try input.take(8)
        guard head.count == 8 else { throw truncated(input) }
        let length = head[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= maximumLength else {
            throw ArchiveError(
                .limitExceeded, "a dictionary of \(length) bytes, more than 8 MiB", path: input.name, offset: 4)
        }
        let content = try input.take(length)
        guard content.count == length else { throw truncated(input) }
        guard content.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) else { return content }
        do throws(ArchiveError) {
            return try decoded(content)
        } catch {
            throw error.at(path: input.name)
        }
    }

    private static func truncated(_ input: StartOfInput) -> ArchiveError {
        ArchiveError(.truncated, "the dictionary is cut off", path: input.name, offset: input.fileOffset)
    }

    private static func decoded(_ content: [UInt8]) throws(ArchiveError) -> [UInt8] {
        let decoder = try ZstandardDecoder()
        var dictionary: [UInt8] = []
        try content.withBytes { (bytes) throws(ArchiveError) in
            try decoder.decode(bytes) { bytes throws(ArchiveError) in
                guard dictionary.count + bytes.count <= maximumLength else {
                    throw ArchiveError(.limitExceeded, "a dictionary of more than 8 MiB", offset: 8)
                }
                dictionary.append(contentsOf: bytes)
            }
        }
        try decoder.finish()
        return dictionary
    }
}
