// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebArchiveReplay

/// The list of entries, with the form that narrows it.
struct EntryListPage {
    /// The search that was made, for the form and the links.
    let search: EntrySearch
    /// The entries that were found, and the position for the next page.
    let found: EntrySearch.Page
    /// The number of entries of the searched archives.
    let count: Int

    /// The data of `/-/api/entries`, by the schema `EntryList` of ``ExplorerSchemas``.
    var json: JSONValue {
        [
            "entries": .array(found.rows.map(\.json)), "looked": .number(found.looked),
            "next": .text(found.next?.description), "complete": .bool(found.next == nil),
            "unreadTitles": .number(found.unreadTitles), "restarted": .bool(found.isRestarted),
        ]
    }

    /// The page, with a form, the number of found entries, the list, and links to the first and the next page.
    var page: ExplorerPage {
        var html = Self.form(search)
        html += "<p role=\"status\">\(outcome)</p>\n"
        html += "<ol class=\"list\">\n\(found.rows.map(\.html).joined())</ol>\n"
        var ways: [String] = []
        if search.after != nil { ways.append(Self.way("First page", link(after: nil))) }
        if let next = found.next {
            ways.append(Self.way(found.isCut ? "Continue the search" : "Next page", link(after: next)))
        }
        if found.unreadTitles > 0 { ways.append(Self.way("Read more titles", link(after: search.after))) }
        if !ways.isEmpty { html += "<p>\(ways.joined(separator: " "))</p>\n" }
        return ExplorerPage(title: "Entries", place: .entries, html: html)
    }

    /// The number of found entries, and a note on entries and titles that were not searched.
    private var outcome: String {
        let entries = SizeFormat.count(found.rows.count, "entry", "entries")
        let looked = "\(SizeFormat.count(found.looked)) of \(SizeFormat.count(count, "entry", "entries"))"
        var text =
            switch (found.next, found.isCut) {
            case (_, true): "\(entries) found so far, in \(looked)."
            case (nil, _) where search.after == nil: "\(entries) found."
            case (nil, _): "\(entries) on this page, the last one."
            default: "\(entries) on this page; more follow."
            }
        if found.isRestarted {
            text += " The archive has been replaced since the previous page; this page starts at its first entry."
        }
        if found.unreadTitles > 0 {
            let pages = SizeFormat.count(found.unreadTitles, "page", "pages")
            text += " Of \(pages), only the URL was searched; their titles have not been read yet."
        }
        return text
    }

    /// Returns a link in the form of a button.
    ///
    /// - Parameter text: the text, which is not escaped.
    static func way(_ text: String, _ link: String) -> String {
        "<a class=\"way\" href=\"\(HTMLText.escaped(link))\">\(text)</a>"
    }

    /// Returns the address of the same search at another position. Fields with their default values are left out.
    ///
    /// - Parameter after: the entry before the first one of the page; nil for the first page.
    private func link(after: EntryID?) -> String {
        QueryFields.link(
            "/-/entries",
            [
                "q": search.text, "type": search.type, "status": search.status, "kind": search.kind,
                "method": search.method, "layer": search.layer.map(String.init) ?? "",
                "limit": search.limit == EntrySearch.usualLimit ? "" : String(search.limit),
                "after": after?.description ?? "",
            ])
    }

    /// Returns the form with the last search.
    ///
    /// The values of the search are escaped. The layer is a hidden field, so that a search within one archive stays
    /// there.
    static func form(_ search: EntrySearch) -> String {
        let layer = search.layer.map { "<input type=\"hidden\" name=\"layer\" value=\"\($0)\">" } ?? ""
        return """
            <form action="/-/entries" role="search">\(layer)
            <div class="wide"><label for="q">Words of a title or a URL, or the start of a URL with https://</label>\
            <input id="q" name="q" type="search" value="\(ArchivedText.html(search.text))"></div>
            <div><label for="type">Media type</label><input id="type" name="type" size="12" list="types" \
            value="\(ArchivedText.html(search.type))"><datalist id="types">\(types)</datalist></div>
            <div><label for="status">Status</label>\(menu("status", statuses, search.status))</div>
            <div><label for="kind">Response</label>\(menu("kind", kinds, search.kind))</div>
            <div><label for="method">Method</label><input id="method" name="method" size="7" \
            value="\(ArchivedText.html(search.method))"></div>
            <div><button>Search</button></div>
            </form>

            """
    }

    /// The suggestions for the field of the media type, each of which may be the beginning of one.
    private static let types = ["text/html", "text/css", "image/", "font/", "audio/", "video/", "application/json"].map
    {
        "<option value=\"\($0)\">"
    }.joined()

    /// The choices of the status: its first digit, and the text.
    private static let statuses = [
        ("", "any"), ("2", "2xx success"), ("3", "3xx redirect"), ("4", "4xx client error"), ("5", "5xx server error"),
    ]

    /// The choices for ``EntrySearch/kind``.
    private static let kinds = [("", "any"), ("response", "response"), ("redirect", "redirect"), ("none", "none")]

    /// Returns a menu. A chosen value that is not among the options becomes one of them, so that the form keeps it.
    private static func menu(_ name: String, _ options: [(value: String, text: String)], _ chosen: String) -> String {
        var options = options
        if !options.contains(where: { $0.value == chosen }) { options.append((chosen, chosen)) }
        let items = options.map { value, text in
            "<option value=\"\(ArchivedText.html(value))\"\(value == chosen ? " selected" : "")>\(ArchivedText.html(text))</option>"
        }
        return "<select id=\"\(name)\" name=\"\(name)\">\(items.joined())</select>"
    }
}
