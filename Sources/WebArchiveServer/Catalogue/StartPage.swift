// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import WebArchive
import WebArchivePresentation
import WebArchiveReplay

/// A page that lists sites: those of a catalogue, or the archives of a kiosk. It runs no script.
struct StartPage {
    /// A site of the list.
    struct Item {
        /// The label of the site, which is its name in the list if no title is known.
        let name: String
        /// The address to which the item links, which must be an absolute URL.
        let address: String
        /// The description; nil until the archive has been read.
        let description: ArchiveDescription?

        /// The title of the description, or the name.
        var title: String { description?.title ?? name }
    }

    /// The items in the order of their titles, without regard to the case of ASCII letters.
    private let items: [Item]
    /// The origins in the form of a policy, for `img-src`.
    private let imageSources: [String]
    /// The language to which the list is limited; nil for all.
    private let language: String?

    /// - Parameters:
    ///   - items: the sites, in any order. All of them are kept, for the list of languages.
    ///   - imageSources: the origins whose icons the page may show, in the form of ``imageSource(_:host:port:)``.
    ///   - request: its query may name a language.
    init(_ items: [Item], imageSources: [String], for request: HTTPRequest) {
        self.imageSources = imageSources
        self.items = items.sorted { ($0.title.asciiLowercased, $0.name) < ($1.title.asciiLowercased, $1.name) }
        let query = request.path?.split(separator: "?", maxSplits: 1).dropFirst().first
        language = QueryFields(query ?? "")["language"]
    }

    /// Returns an origin as a content security policy names it (CSP Level 3 section 2.3.1); nil for a host that no policy can name.
    ///
    /// - Parameters:
    ///   - host: a `*` represents any labels before the others.
    ///   - port: the port, with its colon; empty for the scheme's default.
    static func imageSource(_ scheme: String, host: String, port: String) -> String? {
        let labels = host.hasPrefix("*.") ? host.dropFirst(2) : host[...]
        let isNameable = labels.utf8.allSatisfy { byte in
            switch byte | 0x20 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): true
            default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte.isASCIIDigit
            }
        }
        return isNameable && !labels.isEmpty ? "\(scheme)://\(host)\(port)" : nil
    }

    /// Returns whether a path is that of the page.
    static func contains(_ path: String?) -> Bool { path == "/" || path?.hasPrefix("/?") == true }

    /// The languages by their own names.
    ///
    /// A language that is missing here is listed by its tag.
    private static let languageNames = [
        "ar": "العربية", "cs": "Čeština", "da": "Dansk", "de": "Deutsch", "el": "Ελληνικά", "en": "English",
        "es": "Español",
        "fa": "فارسی", "fi": "Suomi", "fr": "Français", "he": "עברית", "hi": "हिन्दी", "hu": "Magyar", "it": "Italiano",
        "ja": "日本語", "ko": "한국어", "nl": "Nederlands", "no": "Norsk", "pl": "Polski", "pt": "Português", "ru": "Русский",
        "sv": "Svenska", "tr": "Türkçe", "uk": "Українська", "vi": "Tiếng Việt", "zh": "中文",
    ]

    /// The style of the page. Its policy permits inline styles, and no style sheet.
    private static let style = """
        :root{color-scheme:light dark;--line:#767676}\
        body{font:1.125rem/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem 1rem 4rem}\
        h1{font-size:1.75rem;line-height:1.2}\
        nav{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}nav a{padding:.6rem 0}[aria-current]{font-weight:bold;text-decoration:none}\
        ul{list-style:none;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(17rem,100%),1fr));gap:1rem}\
        li{border:1px solid var(--line);border-radius:.5rem;padding:1rem;position:relative;overflow-wrap:break-word}\
        li:focus-within{outline:3px solid;outline-offset:2px}h2{font-size:1.125rem;margin:0}\
        h2 a{text-decoration:none;color:LinkText}h2 a::after{content:"";position:absolute;inset:0}\
        p{margin:.35rem 0 0;font-size:1rem}small{display:block;margin-top:.5rem}\
        img{width:2rem;height:2rem;float:inline-end;margin-inline-start:.5rem}
        """

    /// The document, in English, without the resources of any site but their icons.
    ///
    /// It has links to the languages if the sites have more than one. With a language, only the sites in exactly that
    /// language are listed.
    var html: String {
        let languages = Set(items.compactMap { $0.description?.language }).sorted()
        var html = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>Sites</title>
            <style>\(Self.style)</style>
            <main>
            <h1>Sites</h1>

            """
        if languages.count > 1 {
            let links = [(nil, "All")] + languages.map { ($0, $0) } as [(String?, String)]
            html += "<nav aria-label=\"Languages\">"
            for (tag, name) in links {
                let link = tag.map { HTMLText.escaped(QueryFields.link("/", ["language": $0])) } ?? "/"
                let shown = ArchivedText.html(Self.languageNames[name.asciiLowercased] ?? name)
                html += "<a href=\"\(link)\"\(tag == language ? " aria-current=\"page\"" : "")>\(shown)</a>"
            }
            html += "</nav>\n"
        }
        if items.isEmpty { html += "<p>No archives yet.</p>\n" }
        html += "<ul>\n"
        for item in items where language == nil || item.description?.language == language { html += card(item) }
        return html + "</ul>\n</main>\n"
    }

    /// Returns the item of a site: icon, title, description, language and size, or the reason why the archive cannot be
    /// opened.
    ///
    /// All texts of the archive are escaped.
    private func card(_ item: Item) -> String {
        let (address, about) = (HTMLText.escaped(item.address), item.description)
        if let failure = about?.failure {
            return
                "<li><h2>\(ArchivedText.html(item.name))</h2><p>This archive cannot be opened: \(ArchivedText.html(failure.message)).</p></li>\n"
        }
        var card = "<li>"
        if let icon = about?.icon.flatMap({ try? CanonicalURL(item.address).resolving($0) }) {
            card += "<img src=\"\(HTMLText.escaped(icon.description))\" alt=\"\" loading=\"lazy\">"
        }
        let tag = about?.language.map { " lang=\"\(ArchivedText.html($0))\"" } ?? ""
        card += "<h2\(tag)><a href=\"\(address)\">\(ArchivedText.html(item.title))</a></h2>"
        if let text = about?.text { card += "<p\(tag)>\(ArchivedText.html(text))</p>" }
        let facts = [about?.language, about.map { SizeFormat.bytes($0.length) }].compactMap(\.self)
        if !facts.isEmpty { card += "<small>\(ArchivedText.html(facts.joined(separator: " · ")))</small>" }
        return card + "</li>\n"
    }

    /// Returns the page as a response.
    ///
    /// It must not be stored by clients, as the list changes with the archives. Its policy permits no scripts, no
    /// frames, and only the icons.
    func response(isHead: Bool) -> ReplayResponse {
        let content = ByteBuffer(string: html)
        let images = imageSources.isEmpty ? "'none'" : imageSources.joined(separator: " ")
        let fields: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .contentLength: String(content.readableBytes),
            .cacheControl: "no-store", .xContentTypeOptions: "nosniff", .frameOptions: "DENY",
            .contentSecurityPolicy:
                "default-src 'none'; style-src 'unsafe-inline'; img-src \(images); base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ]
        return ReplayResponse(
            HTTPResponse(status: .ok, headerFields: fields), isHead ? [] : [.bytes(content)], outcome: .own)
    }
}
