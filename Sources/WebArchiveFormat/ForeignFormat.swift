// SPDX-License-Identifier: Apache-2.0

private import CLibdeflate

/// A format that is sometimes mistaken for an archive, recognised by the first bytes of a file.
package struct ForeignFormat: Sendable, Equatable {
    /// The content of such a file, which determines how to pack it.
    package enum Content: Sendable {
        /// Files, which programs for the format can unpack.
        case files
        /// Web pages, which programs for the format can save as files.
        case pages
        /// One page or document.
        case document
        /// Exchanges, which this library can import.
        case exchanges
    }

    /// The name with its article: `a ZIM file`.
    package let name: String
    package let content: Content

    private init(_ name: String, _ content: Content) { (self.name, self.content) = (name, content) }

    /// The number of bytes at the start of a file that are needed at most.
    package static let startLength = 1 << 16

    /// Recognises a file by its first bytes; nil for other formats.
    ///
    /// - Parameter start: the first ``startLength`` bytes, or all.
    package init?(start: [UInt8]) {
        if let (_, known) = Self.signatures.first(where: { start.starts(with: $0.0) }) {
            self = known
        } else if start.starts(with: Self.zip) {
            self = Self.isWACZ(start) ? Self("a WACZ file", .exchanges) : Self("a ZIP file", .files)
        } else if start.starts(with: [0x1F, 0x8B]) {
            let isWARC = Self.firstGzipMember(of: start)?.starts(with: Self.warc) == true
            self = isWARC ? Self("a gzip-compressed WARC file", .exchanges) : Self("a gzip file", .files)
        } else if start.dropFirst(257).starts(with: "ustar".utf8) {
            self = Self("a tar file", .files)
        } else if start.starts(with: "bplist00".utf8), start.contains("WebMainResource".utf8) {
            self = Self("a Safari web archive", .pages)
        } else if let known = Self.text(start.prefix(4096)) {
            self = known
        } else {
            return nil
        }
    }

    private static let zip = [UInt8]("PK\u{3}\u{4}".utf8)
    private static let warc = [UInt8]("WARC/".utf8)

    private static let signatures: [([UInt8], ForeignFormat)] = [
        (warc, Self("a WARC file", .exchanges)),
        (Array("filedesc:".utf8), Self("an ARC file", .exchanges)),
        (Array("ZIM\u{4}".utf8), Self("a ZIM file", .exchanges)),
        (Array("PK\u{5}\u{6}".utf8), Self("a ZIP file", .files)),
        (Array("%PDF-".utf8), Self("a PDF file", .document)),
        (Array("BZh".utf8), Self("a bzip2 file", .files)),
        ([0xFD] + "7zXZ\u{0}".utf8, Self("an xz file", .files)),
        ([0x28, 0xB5, 0x2F, 0xFD], Self("a Zstandard file", .files)),
        ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], Self("a 7z file", .files)),
        (Array("Rar!\u{1A}\u{7}".utf8), Self("a RAR file", .files)),
    ]

    // MARK: - Containers

    /// Returns whether the first file in a ZIP is one that WACZ requires. WACZ 1.1.1, "Directory Layout".
    private static func isWACZ(_ start: [UInt8]) -> Bool {
        guard start.count > 30 else { return false }
        let name = start.dropFirst(30).prefix(Int(start[26]) | Int(start[27]) << 8)
        let isData = name.starts(with: "archive/".utf8) && name.contains(".warc".utf8)
        return isData
            || ["datapackage.json", "datapackage-digest.json", "pages/pages.jsonl", "indexes/index."].contains {
                name.starts(with: $0.utf8)
            }
    }

    /// Returns the first member of a gzip file, if it is as small as the first record of a WARC file; nil otherwise.
    private static func firstGzipMember(of start: [UInt8]) -> [UInt8]? {
        guard let decompressor = libdeflate_alloc_decompressor() else { return nil }
        defer { libdeflate_free_decompressor(decompressor) }
        var (read, written) = (0, 0)
        let member = [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
            let result = start.withUnsafeBytes {
                libdeflate_gzip_decompress_ex(
                    decompressor, $0.baseAddress, $0.count, buffer.baseAddress, buffer.count, &read, &written)
            }
            count = result == LIBDEFLATE_SUCCESS ? written : 0
        }
        return member.isEmpty ? nil : member
    }

    // MARK: - Texts

    private static func text(_ start: ArraySlice<UInt8>) -> ForeignFormat? {
        let lower = start.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        var rest = lower[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        func skip(_ text: String = "") -> Bool {
            guard rest.starts(with: text.utf8) else { return false }
            rest = rest.dropFirst(text.utf8.count).drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            return true
        }
        _ = skip()
        if rest.starts(with: "<!doctype html".utf8) || rest.starts(with: "<html".utf8) {
            return Self("an HTML page", .document)
        }
        let isMail = lower.contains("mime-version:".utf8) && lower.contains("multipart/related".utf8)
        if isMail, rest.prefix(while: { $0 != 0x0A }).contains(0x3A) { return Self("an MHTML file", .pages) }
        return skip("{") && skip("\"log\"") && skip(":") ? Self("a HAR file", .exchanges) : nil
    }
}
