// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebArchiveReplay

/// The page of the lists of pages: the way into an archive of a crawl.
struct PagesPage {
    /// The part that is shown.
    let list: PageList

    /// Creates the page of a part.
    init(_ list: PageList) { self.list = list }

    /// The data of `/-/api/pages`, by the schema `PageList` of ``ExplorerSchemas``.
    var json: JSONValue {
        let pages = list.rows.map { row -> JSONValue in
            [
                "layer": .number(row.layer), "url": .text(row.page?.url), "title": .text(row.page?.title),
                "time": .number(row.page?.time?.nanoseconds), "status": .number(row.page?.status ?? 0),
                "seed": .bool(row.page?.isSeed ?? false), "damaged": .bool(row.page == nil),
            ]
        }
        return ["pages": .array(pages), "total": .number(list.total), "next": .number(list.next)]
    }

    /// The page, with links to the first and the next part.
    var page: ExplorerPage {
        guard list.total > 0 else {
            return ExplorerPage(
                title: "Pages", place: .pages,
                html:
                    "<p>The archives have no list of pages. <a href=\"/-/entries?type=text/html\">All documents</a></p>\n"
            )
        }
        let range =
            "\(SizeFormat.count(min(list.start + 1, list.total))) to \(SizeFormat.count(list.start + list.rows.count))"
        var html = "<p role=\"status\">\(range) of \(SizeFormat.count(list.total, "page", "pages")).</p>\n"
        html += Self.list(list)
        if list.start > 0 { html += Self.way(from: 0, "First page") }
        if let next = list.next { html += Self.way(from: next, "Next page") }
        return ExplorerPage(title: "Pages", place: .pages, html: html)
    }

    /// Returns a link to the part from a page on, in the form of a button.
    static func way(from start: Int, _ text: String) -> String {
        let link = QueryFields.link("/-/pages", ["from": start == 0 ? "" : String(start)])
        return "<p>\(EntryListPage.way(text, link))</p>\n"
    }

    /// Returns the list of the pages of a part.
    static func list(_ list: PageList) -> String {
        "<ol class=\"list\">\n\(list.rows.map { item($0.page) }.joined())</ol>\n"
    }

    /// Returns an item: the title or the URL as a link to the capture, and the known properties.
    private static func item(_ page: ArchivePage?) -> String {
        guard let page else { return "<li>damaged</li>\n" }
        let time = page.time.map { String($0.nanoseconds) } ?? ""
        let link = HTMLText.escaped(QueryFields.link("/-/entry", ["url": page.url, "time": time]))
        let address = ArchivedText.html(page.url, atMost: 500)
        var facts: [String] = []
        if page.status != 0, page.status != 200 { facts.append(String(page.status)) }
        if let time = page.time { facts.append("<time>\(Timestamp.text(time))</time>") }
        if page.isSeed { facts.append("start of the crawl") }
        let known = facts.isEmpty ? "" : "<br><small>\(facts.joined(separator: " · "))</small>"
        let title = page.title.flatMap { $0.isEmpty ? nil : $0 }
        let text = title.map { "\(ArchivedText.html($0, atMost: 500))</a><br>\(address)" } ?? "\(address)</a>"
        return "<li><a href=\"\(link)\">\(text)\(known)</li>\n"
    }
}
