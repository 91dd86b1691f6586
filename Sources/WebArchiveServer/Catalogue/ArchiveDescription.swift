// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The description that an archive gives of itself, cut to what a list of archives shows; or the reason why it cannot be read.
struct ArchiveDescription: Sendable {
    private(set) var title: String?
    /// A language tag (BCP 47).
    private(set) var language: String?
    private(set) var text: String?
    /// Whether its main page's origin has an icon at `/favicon.ico`.
    private(set) var hasIcon = false
    /// In bytes.
    private(set) var length: UInt64 = 0
    private(set) var failure: ArchiveError?

    /// Reads the metadata of an archive.
    init(of path: FilePath) {
        do throws(ArchiveError) {
            try read(ArchiveReader(path: path))
        } catch {
            failure = error
        }
    }

    /// Reads the metadata of an archive that is open.
    init(of archive: ArchiveReader) {
        do throws(ArchiveError) {
            try read(archive)
        } catch {
            failure = error
        }
    }

    private mutating func read(_ archive: ArchiveReader) throws(ArchiveError) {
        length = archive.fileLength
        let archive = archive.limited(to: DecodingBudget(for: "a description", bytes: 4 << 20))
        let metadata = try archive.metadata()
        func value(_ name: String, atMost limit: Int) -> String? {
            metadata[name].flatMap {
                $0.isEmpty ? nil : String(String.UnicodeScalarView($0.unicodeScalars.prefix(limit)))
            }
        }
        title = value("title", atMost: 200)
        language = value("language", atMost: 35)
        text = value("description", atMost: 500)
        guard let page = try archive.mainPage() else { return }
        if title == nil { title = try Self.title(of: page, in: archive) }
        if let icon = try? page.resolving("/favicon.ico") { hasIcon = try archive.entry(for: icon) != nil }
    }

    private static func title(of page: CanonicalURL, in archive: ArchiveReader) throws(ArchiveError) -> String? {
        guard let entry = try archive.entry(for: page), let body = try entry.body, let response = try entry.response,
            response.mediaType == "text/html"
        else { return nil }
        let bytes = try body.bytes(in: 0..<min(body.length, UInt64(PageTitle.longestLook)))
        return PageTitle.title(in: bytes, charset: { response.charset })
    }
}
