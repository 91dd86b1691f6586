// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive
import WebArchivePresentation

/// The description of an archive by its metadata, limited to the contents of a list; or the reason why it cannot be read.
///
/// Reading it decodes at most 4 MiB of the archive, so that a list of many archives stays cheap.
struct ArchiveDescription: Sendable {
    /// The title of the metadata, or else that of the main page if it is HTML; at most 200 Unicode scalars from the
    /// metadata.
    private(set) var title: String?
    /// The language tag (BCP 47).
    ///
    /// At most 35 Unicode scalars, the length for which RFC 5646 section 4.4.1 requires buffers.
    private(set) var language: String?
    /// The metadata's description, at most 500 Unicode scalars.
    private(set) var text: String?
    /// The path of the main page's icon, on the page's origin.
    private(set) var icon: String?
    /// The length in bytes.
    ///
    /// The length of the whole file, with superseded data.
    private(set) var length: UInt64 = 0
    /// The error of opening or reading; nil if all was read. The properties that were read before it keep their values.
    private(set) var failure: ArchiveError?

    /// Reads the metadata of an archive.
    ///
    /// The file is opened for that, but not verified.
    ///
    /// - Parameter trust: the keys that must have signed the archive; nil, the default, for any archive.
    init(of path: FilePath, trust: ArchiveTrust? = nil) {
        do throws(ArchiveError) {
            try read(ArchiveReader(path: path, trust: trust))
        } catch {
            failure = error
        }
    }

    /// Reads the metadata of an open archive.
    ///
    /// It shares the caches of the archive, and not the limits of requests.
    init(of archive: ArchiveReader) {
        do throws(ArchiveError) {
            try read(archive)
        } catch {
            failure = error
        }
    }

    /// Reads the length first, then metadata, title and icon.
    ///
    /// - Throws: `limitExceeded` where that decodes more than 4 MiB, and errors of reading.
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
