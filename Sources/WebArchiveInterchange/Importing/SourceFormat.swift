// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The recognition of a source by its first bytes.
enum SourceFormat {
    /// Opens a source.
    ///
    /// - Throws: `notAnArchive` for an unknown kind; `io`.
    static func source(at path: FilePath) throws(ArchiveError) -> any ImportSource {
        let file = path == "-" ? FileInput(.standardInput, name: "standard input") : try FileInput(path: path)
        let start = StartOfInput(file)
        let bytes = try start.peek()
        let input: any ByteInput
        if bytes.starts(with: [0x1F, 0x8B]) {
            input = try GzipInput(start)
        } else if bytes.starts(with: "WARC/".utf8) {
            input = start
        } else {
            throw ArchiveError(
                .notAnArchive,
                bytes.isEmpty ? "the file is empty" : "not a WARC file, plain or compressed by gzip", path: file.name)
        }
        return WARCSource(WARCReader(BufferedInput(input)))
    }
}
