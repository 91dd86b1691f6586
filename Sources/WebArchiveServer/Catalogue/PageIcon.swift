// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebArchiveReplay

/// The icon of a page (HTML standard, section "Link type icon"), if the archive has it under the page's origin.
enum PageIcon {
    /// The maximum length of a path with its query; a list of archives has one for each.
    private static let maximumPathLength = 512
    /// The maximum number of links of a page that are looked up in the archive.
    ///
    /// A `link` beyond it is not examined, so that a page cannot cause many searches.
    private static let maximumLinkCount = 4

    /// Returns the path of the icon: the first that the page links to and that the archive has as an image, or `/favicon.ico`.
    ///
    /// A redirect is none: it may lead a browser that only shows a list of archives to a host that is not archived.
    ///
    /// - Parameter document: the beginning of the page; empty for one that is not HTML.
    /// - Throws: errors of reading the archive. A reference that is not a URL is skipped.
    static func path(
        of page: CanonicalURL, document: [UInt8], in archive: ArchiveReader
    ) throws(ArchiveError) -> String? {
        for reference in links(document) + ["/favicon.ico"] {
            guard let url = try? page.resolving(reference), url.root == page.root,
                url.originForm.utf8.count <= maximumPathLength,
                let response = try archive.entry(for: url)?.response, response.status == 200,
                response.mediaType?.asciiLowercased.hasPrefix("image/") == true
            else { continue }
            return url.originForm
        }
        return nil
    }

    /// Returns the targets of the links of relation `icon` before the `body`, at most ``maximumLinkCount``, with
    /// resolved character references.
    ///
    /// Only the first 100 bytes of a list of relations, and the first 512 of a target, are read.
    private static func links(_ document: [UInt8]) -> [String] {
        var scanner = HTMLTagScanner(document)
        var links: [String] = []
        while links.count < maximumLinkCount, let tag = scanner.next(), !tag.isOf("body") {
            guard tag.isOf("link"), let relations = tag.value("rel"), let reference = tag.value("href"),
                String(decoding: document[relations].prefix(100), as: UTF8.self).asciiLowercased.split(separator: " ")
                    .contains("icon")
            else { continue }
            links.append(
                CharacterReferences.decoded(
                    String(decoding: document[reference].prefix(maximumPathLength), as: UTF8.self)))
        }
        return links
    }
}
