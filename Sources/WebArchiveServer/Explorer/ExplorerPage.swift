// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import HTTPTypes
import NIOCore
import WebArchiveReplay

/// A page of the explorer: navigation, and a main part. It needs no other resource, and runs no script.
struct ExplorerPage {
    /// The path of a page of the explorer, or of its JSON form.
    enum Place: String, CaseIterable {
        /// An address without its final slash, which is redirected to the first page (308, RFC 9110 section 15.4.9).
        case root = "/-"
        /// The first page: the served archives with their metadata.
        case archives = "/-/"
        /// The lists of pages of the archives, from the number in the field `from` of the query on.
        case pages = "/-/pages"
        /// The list of entries, by the fields of a search in the query.
        case entries = "/-/entries"
        /// All properties of one entry, which the field `entry` or `url` of the query names.
        case entry = "/-/entry"
        /// The stored body of an entry alone. A page embeds it only with the explorer's key.
        case content = "/-/content"
        /// A page made from a stored one, with its styles and pictures; embedded only with the explorer's key.
        case preview = "/-/preview"
        /// The use of space below the field `folder` of the query.
        case space = "/-/space"
        /// The URLs since the start of the server that no archive has.
        case misses = "/-/misses"
        /// The report of a proof, if the operator gave one.
        case report = "/-/report"
        case archivesData = "/-/api/archives"
        case pagesData = "/-/api/pages"
        case entriesData = "/-/api/entries"
        case entryData = "/-/api/entry"
        case spaceData = "/-/api/space"
        case missesData = "/-/api/misses"
        /// The description of all JSON, in OpenAPI.
        case description = "/-/api/openapi.json"
    }

    /// The title, a text that is escaped on output: the heading, and the name of the window.
    var title: String
    /// The item of the navigation that leads here; nil for none.
    var place: Place?
    /// The main part below the title, as HTML.
    var html: String

    /// The items of the navigation, in their order.
    private static let navigation: [(place: Place, name: String)] = [
        (.archives, "Archives"), (.pages, "Pages"), (.entries, "Entries"), (.space, "Space"), (.misses, "Misses"),
        (.description, "JSON"),
    ]

    /// The style of all pages, whose hash is in their policy: a changed style needs no other change.
    static let style = """
        :root{color-scheme:light dark;--line:#767676}\
        body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto 4rem;padding:0 1rem}\
        h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.2rem;margin:2rem 0 .5rem}\
        nav ul{display:flex;flex-wrap:wrap;gap:0 1.25rem;list-style:none;padding:0;margin:0}\
        nav a{display:inline-block;padding:.6rem 0}[aria-current]{font-weight:bold;text-decoration:none}\
        a{color:LinkText}:focus-visible{outline:3px solid;outline-offset:2px}\
        .skip{position:absolute;left:-100rem}.skip:focus{position:static}\
        li,td,th,p,dd,h1{overflow-wrap:anywhere}\
        th[scope=col]{overflow-wrap:normal}th[scope=row]{min-width:8rem}.facts{table-layout:fixed}.facts th{overflow-wrap:break-word}.facts th:first-child{width:9rem}ol,ul{padding-left:1.25rem}.list{list-style:none;padding:0}\
        .list li{padding:.5rem 0;border-bottom:1px solid var(--line)}\
        form{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end;margin:1rem 0}\
        label{display:block;font-size:.875rem}.wide{flex:1 1 100%}\
        input,select,button{font:inherit;padding:.5rem;min-height:2.8rem;box-sizing:border-box;max-width:100%;border:1px solid var(--line);\
        border-radius:.3rem}.wide input{width:100%}\
        table{border-collapse:collapse;width:100%}caption{text-align:left;padding:.5rem 0}\
        th,td{text-align:left;vertical-align:top;padding:.35rem .5rem .35rem 0;border-bottom:1px solid var(--line)}\
        th{font-weight:600}.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\
        th.number{white-space:normal}.map{width:100%;height:min(30rem,70vh);display:block}.map text{font-size:.8rem;fill:#fff}\
        .map .cell{stroke:#fff;stroke-width:1}.map .frame{fill:none;stroke:#fff;stroke-width:3}\
        .label{fill:#000;fill-opacity:.65}.key{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;padding:0}\
        .key svg{width:.9rem;height:.9rem;vertical-align:-.1rem}\
        .page{fill:#1f5fa8}.style{fill:#8a3ea0}.script{fill:#9a5b00}.image{fill:#1d7040}.font{fill:#5f6b00}\
        .media{fill:#a8323e}.data{fill:#00707a}.other{fill:#5c5c5c}\
        iframe,.preview{width:100%;box-sizing:border-box;border:1px solid var(--line);background:#fff}\
        iframe{height:min(32rem,75vh)}img.preview,video.preview{width:auto;max-width:100%;max-height:75vh}\
        .way{display:inline-block;padding:.6rem 1.2rem;border:1px solid;border-radius:.5rem;text-decoration:none}\
        @media(max-width:30rem){.optional{display:none}}
        """

    /// The pages share their origin with replayed ones, and must not be open to their scripts: they are sandboxed, and so have an
    /// origin of their own.
    private static let policy = """
        sandbox allow-forms allow-downloads; default-src 'none'; style-src 'sha256-\(styleHash)'; img-src 'self'; \
        media-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'
        """

    /// The policy of a report, which is a file with a style of its own that loads nothing.
    private static let reportPolicy = """
        sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    /// The SHA-256 of the style in Base64, as a content security policy names it (CSP Level 3, section 2.3.1).
    private static let styleHash = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()

    /// The whole document, in English.
    var document: String {
        let items = Self.navigation.map { item, name in
            "<li><a href=\"\(item.rawValue)\"\(item == place ? " aria-current=\"page\"" : "")>\(name)</a></li>"
        }
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(ArchivedText.html(title, atMost: 200)) – webarc</title>
            <style>\(Self.style)</style>
            <body>
            <a class="skip" href="#main">Skip to content</a>
            <nav aria-label="Explorer"><ul>\(items.joined())</ul></nav>
            <main id="main">
            <h1>\(ArchivedText.html(title, atMost: 500))</h1>
            \(html)</main>

            """
    }

    /// Returns the page as a response.
    ///
    /// It is not stored by clients, and has the policy of all pages of the explorer.
    func response(_ status: HTTPResponse.Status = .ok, isHead: Bool) -> ReplayResponse {
        Self.response(ByteBuffer(string: document), Self.policy, status, isHead: isHead)
    }

    /// Returns the document of a report as a response, sealed as the explorer's own pages.
    static func response(ofReport document: [UInt8], isHead: Bool) -> ReplayResponse {
        response(ByteBuffer(bytes: document), reportPolicy, .ok, isHead: isHead)
    }

    private static func response(
        _ content: ByteBuffer, _ policy: String, _ status: HTTPResponse.Status, isHead: Bool
    ) -> ReplayResponse {
        let fields: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .contentLength: String(content.readableBytes),
            .cacheControl: "no-store", .contentSecurityPolicy: policy, .xContentTypeOptions: "nosniff",
            .frameOptions: "DENY", .referrerPolicy: "no-referrer",
            // A page that opened this one must not count the frames in it.
            .crossOriginOpenerPolicy: "same-origin",
        ]
        return ReplayResponse(
            HTTPResponse(status: status, headerFields: fields), isHead ? [] : [.bytes(content)], outcome: .own)
    }
}
