// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// A line of a list of pages in a WACZ file.
struct WACZPage {
    /// The page.
    let page: ArchivePage
    /// The text of the page, in UTF-8; nil for none.
    let text: [UInt8]?

    /// The maximum length of a line: the text of a page is in it.
    static let maximumLineLength = 16 << 20
    /// The maximum length of a text that fits into a line, of which a byte can take six, in bytes.
    static let maximumTextLength = UInt64(maximumLineLength / 6 - (64 << 10))

    /// Returns whether a line is the head of a list.
    static func isHeader(_ line: JSONValue) -> Bool { line["format"]?.text != nil && line["url"] == nil }

    /// Reads a line; nil without an absolute URL. Other members that are wrong count as missing.
    init?(_ line: JSONValue) {
        guard let url = line["url"]?.text, (try? CanonicalURL(url)) != nil else { return nil }
        var page = ArchivePage(url: url)
        page.time = line["ts"].flatMap(Self.time)
        page.title = line["title"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        page.status = Self.integer(line["status"], in: 100...999) ?? 0
        page.isSeed = line["seed"]?.isTrue ?? false
        page.depth = Self.integer(line["depth"], in: 0...Int64(UInt32.max)) ?? 0
        self.page = page
        text = line["text"]?.exactText.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
    }

    private static func integer(_ value: JSONValue?, in range: ClosedRange<Int64>) -> Int? {
        guard case .integer(let number) = value, range.contains(number) else { return nil }
        return Int(number)
    }

    /// Reads a time in the forms of RFC 3339, of an index (14 digits), or as milliseconds since 1970.
    private static func time(_ value: JSONValue) -> ArchiveTime? {
        if case .integer(let milliseconds) = value {
            return milliseconds.multipliedReportingOverflow(by: 1_000_000).overflow
                ? nil : ArchiveTime(nanoseconds: milliseconds * 1_000_000)
        }
        guard let text = value.text, text.utf8.count < 64 else { return nil }
        // Some writers leave out the zone.
        return (Timestamp.nanoseconds(text) ?? Timestamp.nanoseconds(text + "Z") ?? IndexTime.nanoseconds(text))
            .flatMap(ArchiveTime.init)
    }
}
