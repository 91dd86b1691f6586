// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The recognition of a source by its first bytes.
enum SourceFormat {
    /// The number of bytes by which a text is recognised.
    private static let textLength = 4096

    /// Opens a source.
    ///
    /// - Throws: `notAnArchive` for an unknown kind; `damaged` for a dictionary that cannot be read; `io`.
    static func source(at path: FilePath) throws(ArchiveError) -> any ImportSource {
        if path != "-", FileStatus(of: path)?.kind == .folder { return MirrorSource(path) }
        let file = path == "-" ? FileInput(.standardInput, name: "standard input") : try FileInput(path: path)
        let start = try StartOfInput(file)
        if ZIPFile.signatures.contains(where: { start.bytes.starts(with: $0) }) {
            let file = try WACZFile(ZIPFile(seekable(start, at: path)))
            guard file.isCollection else { return WACZSource(file) }
            return try CollectionSource(file, in: folder(of: path))
        }
        if start.bytes.starts(with: ZIMHeader.signature) { return try ZIMSource(seekable(start, at: path)) }
        guard start.bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{") else {
            return try source(reading: start)
        }
        let text = try StartOfInput(start, count: textLength)
        guard !HARSource.isBeginning(text.bytes) else { return try source(reading: text) }
        let all = try StartOfInput(text, count: WACZFile.maximumDescriptionLength)
        guard let json = try? JSONText.value(all.bytes), WACZCollection.isDescribed(by: json) else {
            return try source(reading: all)
        }
        return try CollectionSource(json, name: all.name, in: folder(of: path))
    }

    /// Returns the folder in which the parts of a collection lie; nil for standard input.
    private static func folder(of path: FilePath) -> FilePath? { path == "-" ? nil : path.removingLastComponent() }

    /// Returns the source for bytes, compressed or not.
    ///
    /// - Throws: as ``source(at:)``.
    static func source(reading input: any ByteInput) throws(ArchiveError) -> any ImportSource {
        try source(reading: StartOfInput(input))
    }

    private static func source(reading start: StartOfInput) throws(ArchiveError) -> any ImportSource {
        guard let decoder = try decoder(start) else { return try source(start) }
        return try source(StartOfInput(FramedInput(start, decoder)))
    }

    /// Returns the bytes of a file for access in any order: those of a pipe from a temporary file without a name.
    private static func seekable(_ start: StartOfInput, at path: FilePath) throws(ArchiveError) -> any ByteSource {
        if path != "-", let file = try? FileByteSource(path: path) { return file }
        return try SpooledSource(start)
    }

    /// Returns the decoder of a compressed file; nil for a plain one.
    private static func decoder(_ start: StartOfInput) throws(ArchiveError) -> (any FrameDecoder)? {
        // Other windows than those up to 128 MiB take an option of zstd as well.
        let windowLog: Int32 = 27
        if start.bytes.starts(with: ZstandardDictionary.signature) {
            return try ZstandardStream(windowLog: windowLog, dictionary: ZstandardDictionary.read(start))
        }
        let decoders: [any FrameDecoder] = [
            try GzipDecoder(), try ZstandardStream(windowLog: windowLog), try LZ4FrameStream(),
        ]
        return decoders.first { start.bytes.starts(with: $0.signature) }
    }

    /// Returns the source for decoded bytes.
    private static func source(_ input: StartOfInput) throws(ArchiveError) -> any ImportSource {
        if input.bytes.starts(with: "WARC/".utf8) { return RecordSource(warc: input) }
        if input.bytes.starts(with: ARCSyntax.mark) { return RecordSource(arc: input) }
        let text = try StartOfInput(input, count: textLength)
        if HARSource.isBeginning(text.bytes) { return HARSource(BufferedInput(text)) }
        throw ArchiveError(
            .notAnArchive,
            input.bytes.isEmpty
                ? "the file is empty"
                : "not a WARC, ARC, WACZ, HAR or ZIM file, plain or compressed by gzip, zstd or LZ4",
            path: input.name)
    }
}
