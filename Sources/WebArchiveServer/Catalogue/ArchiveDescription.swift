// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The description of an archive by its metadata, limited to the contents of a list; or the reason why it cannot be read.
struct ArchiveDescription: Sendable {
    private(set) var title: String?
    /// The language tag (BCP 47).
    private(set) var language: String?
    private(set) var text: String?
    /// The path of the main page's icon, on the page's origin.
    private(set) var icon: String?
    /// The length in bytes.
    private(set) var length: UInt64 = 0
    private(set) var failure: ArchiveError?

    /// Reads the metadata of an archive.
    init(of path: FilePath, trust: ArchiveTrust? = nil) {
        do throws(ArchiveError) {
            try read(ArchiveReader(path: path, trust: trust))
        } catch {
            failure = error
        }
    }

    /// Reads the metadata of an open archive.
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
        let entry = try archive.entry(for: page)
        let response = try entry?.response
        var document: [UInt8] = []
        if response?.mediaType == "text/html", let body = try entry?.body {
            document = try body.bytes(in: 0..<min(body.length, UInt64(PageTitle.maximumScannedLength)))
        }
        title = title ?? PageTitle.title(in: document, charset: { response?.charset })
        icon = try PageIcon.path(of: page, document: document, in: archive)
    }
}
