// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import NIOCore
package import WebArchive
import WebArchivePresentation

/// A page of the server's own that explains an event to a person. It needs no other resource, and runs no script.
package struct NoticePage {
    /// The heading, in plain text.
    ///
    /// It is also the title of the window.
    package var title: String
    /// The paragraphs of plain text.
    ///
    /// A page without any has only its heading.
    package var text: [String]
    /// The entries that may be meant instead: text, and link.
    ///
    /// A suggestion without a link is plain text.
    package var suggestions: [(text: String, link: String?)] = []
    /// The link for continuing.
    package var wayOut: (text: String, link: String)?
    /// The language of its texts.
    ///
    /// It is English for texts of the caller's own.
    package var language = DeviceLanguage.english

    /// Creates a page with texts of the caller's own, in English.
    ///
    /// - Parameters:
    ///   - title: the heading.
    ///   - text: the paragraphs of plain text.
    ///   - suggestions: the suggestions; none by default.
    ///   - wayOut: a link to continue by; none by default.
    package init(
        title: String, text: [String], suggestions: [(text: String, link: String?)] = [],
        wayOut: (text: String, link: String)? = nil
    ) {
        self.title = PrintableText.escaped(title)
        self.text = text.map(PrintableText.escaped)
        self.suggestions = suggestions
        self.wayOut = wayOut
    }

    /// Creates a page in the language of texts, without suggestions.
    ///
    /// - Parameters:
    ///   - title: the heading.
    ///   - text: the one paragraph.
    ///   - language: the language of the visitor.
    ///   - values: the values for the words in braces of both texts.
    package init(
        _ title: DeviceText, _ text: DeviceText, in language: DeviceLanguage,
        _ values: KeyValuePairs<String, String> = [:]
    ) {
        // A text of a language may have marks of its direction.
        (self.title, self.text) = (language[title, values], [language[text, values]])
        self.language = language
    }

    /// Creates the page of an existing entry that cannot be read, or that the required keys did not sign.
    ///
    /// - Parameters:
    ///   - error: the error, of which only the code counts: the page shows no detail of it.
    ///   - language: the language of the visitor.
    package static func unreadable(_ error: ArchiveError, _ language: DeviceLanguage) -> NoticePage {
        error.code == .untrusted
            ? NoticePage(.untrustedTitle, .untrustedText, in: language)
            : NoticePage(.damagedTitle, .damagedText, in: language)
    }

    /// The style sheet, for light and dark screens and any width.
    ///
    /// It is inline, since the page loads nothing.
    package static let style = """
        :root{color-scheme:light dark}\
        body{font:1.125rem/1.5 system-ui,sans-serif;max-width:42rem;margin:12vh auto 4rem;padding:0 1.25rem}\
        h1{font-size:1.75rem;line-height:1.2;margin:0 0 1rem}\
        ul{padding-inline-start:1.25rem}li,p{overflow-wrap:anywhere}a{color:LinkText}\
        .way{display:inline-block;margin-top:1rem;padding:.6rem 1.2rem;border:1px solid;border-radius:.5rem;\
        text-decoration:none}
        """

    /// The page as HTML. All texts are escaped, and those of an archive or a request change neither line nor direction; one of more than 2 KiB is truncated, and a longer link is left out.
    package var html: String {
        var html = """
            <!doctype html>
            <html lang="\(language.tag)" dir="\(language.isRightToLeft ? "rtl" : "ltr")">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(HTMLText.escaped(title))</title>
            <style>\(Self.style)</style>
            <main>
            <h1>\(HTMLText.escaped(title))</h1>

            """
        for paragraph in text { html += "<p>\(Self.shown(paragraph))</p>\n" }
        if !suggestions.isEmpty {
            html += "<p>\(HTMLText.escaped(language[.nearest]))</p>\n<ul>\n"
            for (text, link) in suggestions {
                let text = Self.shown(PrintableText.escaped(text))
                html +=
                    link.flatMap { $0.utf8.count <= Self.maximumTextLength ? $0 : nil }.map {
                        "<li dir=\"auto\"><a href=\"\(HTMLText.escaped($0))\">\(text)</a></li>\n"
                    } ?? "<li dir=\"auto\">\(text)</li>\n"
            }
            html += "</ul>\n"
        }
        if let wayOut {
            html +=
                "<p><a class=\"way\" href=\"\(HTMLText.escaped(wayOut.link))\">\(HTMLText.escaped(wayOut.text))</a></p>\n"
        }
        return html + "</main>\n"
    }

    /// The maximum length of a text, in bytes: a URL, which a page may repeat, can be much longer.
    private static let maximumTextLength = 2048

    /// Returns escaped text, truncated to ``maximumTextLength`` and marked by an ellipsis if it is longer.
    private static func shown(_ text: String) -> String {
        guard text.utf8.count > maximumTextLength else { return HTMLText.escaped(text) }
        return HTMLText.escaped(String(decoding: text.utf8.prefix(maximumTextLength), as: UTF8.self)) + "…"
    }

    /// Returns the page as a response.
    ///
    /// It is not stored by clients, varies by `Accept-Language`, and has a policy that permits no script.
    ///
    /// - Parameters:
    ///   - status: the status, which must allow content.
    ///   - outcome: the outcome, for logs and counters.
    ///   - isHead: whether the content is left out, and its length stated; false by default.
    package func response(
        _ status: HTTPResponse.Status, outcome: ReplayResponse.Outcome, isHead: Bool = false
    ) -> ReplayResponse {
        let content = ByteBuffer(string: html)
        let fields: HTTPFields = [
            .contentType: "text/html; charset=utf-8",
            .contentLength: String(content.readableBytes),
            .cacheControl: "no-store",
            .contentSecurityPolicy:
                "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
            .xContentTypeOptions: "nosniff", .contentLanguage: language.tag, .vary: "Accept-Language",
        ]
        return ReplayResponse(
            HTTPResponse(status: status, headerFields: fields), isHead ? [] : [.bytes(content)], outcome: outcome)
    }
}
