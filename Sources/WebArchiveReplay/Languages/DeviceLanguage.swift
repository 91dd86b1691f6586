// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import WebArchive
import WebArchivePresentation

/// A language of a device's own pages and controls, with its texts.
package struct DeviceLanguage: Sendable {
    /// The language tag, by BCP 47.
    ///
    /// It is the value of `lang` and of `Content-Language` of the pages (RFC 9110 section 8.5).
    package let tag: String
    /// The language's name in the language itself.
    ///
    /// It is for a list of languages, whose readers may not know any other one.
    package let name: String
    /// Whether its script runs from right to left.
    ///
    /// It is the value of `dir` of the pages, and decides whether values are isolated in a text.
    package let isRightToLeft: Bool
    /// The texts by their meaning. A text that is missing is shown as the name of its case.
    let texts: [DeviceText: String]

    /// The fallback language.
    ///
    /// It is the first of ``all``.
    package static var english: DeviceLanguage { all[0] }

    /// Selects the available language that a client prefers; English if it accepts none of them.
    ///
    /// The weights of its ranges count, and a part that is not a range is skipped.
    ///
    /// - Parameter field: the value of its `Accept-Language` field, if it sent one.
    package init(accepting field: String?) {
        let languages = field.map { AcceptLanguage([$0]).choice(among: Self.all.map(\.tag)) }
        self = languages.flatMap { $0 }.map { Self.all[$0] } ?? .english
    }

    /// Selects the language that the sender of a request prefers; see ``init(accepting:)``.
    ///
    /// - Parameter request: a request of any kind; only its `Accept-Language` counts.
    package init(_ request: HTTPRequest) { self.init(accepting: request.headerFields[.acceptLanguage]) }

    /// Creates a language for the table; nothing is checked.
    ///
    /// - Parameters:
    ///   - tag: the tag by BCP 47, which no other language of the table has.
    ///   - name: the name in the language itself.
    ///   - isRightToLeft: whether its script runs from right to left.
    ///   - texts: the texts, with names in braces in place of values.
    init(tag: String, name: String, isRightToLeft: Bool, texts: [DeviceText: String]) {
        (self.tag, self.name, self.isRightToLeft, self.texts) = (tag, name, isRightToLeft, texts)
    }

    /// The text, with values for its words in braces. If the language runs from right to left they are isolated from it, since a URL does not.
    ///
    /// A name in braces without a value becomes empty. The result is plain text, and must be escaped for HTML.
    ///
    /// - Parameters:
    ///   - text: the meaning of the text.
    ///   - values: the values by the names in braces. Braces in a value have no meaning, and its control characters are escaped.
    package subscript(_ text: DeviceText, values: KeyValuePairs<String, String>) -> String {
        var rest = Substring(texts[text] ?? text.rawValue)
        var result = ""
        // From left to right: a value may have such a word in it.
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            let name = rest[rest.index(after: start)..<end]
            let value = PrintableText.escaped(values.first { $0.key == name }?.value ?? "")
            result += rest[..<start]
            result += isRightToLeft ? "\u{2068}\(value)\u{2069}" : value
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    /// The text without words in braces.
    ///
    /// Names in braces become empty.
    package subscript(_ text: DeviceText) -> String { self[text, [:]] }
}

/// A visible text. `Translations` has it in each language.
///
/// The raw value is the key of the text in the files of `Translations`.
package enum DeviceText: String, CaseIterable, Sendable {
    /// Titles and texts of pages in place of a response: a damaged or untrusted entry, a URL outside of the archives, a
    /// miss, and a method that is not stored.
    case damagedTitle, damagedText, untrustedTitle, untrustedText, elsewhereTitle, elsewhereText, missingTitle,
        missingText, methodTitle, methodText
    /// Titles and texts for a malformed request, for an entry without a final response and for a site without its main
    /// page, and the labels of links.
    case requestTitle, requestText, emptyTitle, emptyText, frontPageTitle, frontPageText, nearest, mainPage
    /// Labels of a kiosk's bar and its keyboard.
    case bar, back, home, zoomIn, zoomOut, keyboard, hideKeyboard, space, backspace, enter, shift, languages, hideBar,
        showBar
}
