// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import WebArchive

/// A language of a device's own pages and controls, with its texts.
package struct DeviceLanguage: Sendable {
    /// The language tag, by BCP 47.
    package let tag: String
    /// The language's name in the language itself.
    package let name: String
    /// Whether its script runs from right to left.
    package let isRightToLeft: Bool
    let texts: [DeviceText: String]

    /// The fallback language.
    package static var english: DeviceLanguage { all[0] }

    /// Selects the available language that a client prefers; English if it accepts none of them.
    ///
    /// - Parameter field: the value of its `Accept-Language` field, if it sent one.
    package init(accepting field: String?) {
        let languages = field.map { AcceptLanguage([$0]).choice(among: Self.all.map(\.tag)) }
        self = languages.flatMap { $0 }.map { Self.all[$0] } ?? .english
    }

    /// Selects the language that the sender of a request prefers; see ``init(accepting:)``.
    package init(_ request: HTTPRequest) { self.init(accepting: request.headerFields[.acceptLanguage]) }

    init(tag: String, name: String, isRightToLeft: Bool, texts: [DeviceText: String]) {
        (self.tag, self.name, self.isRightToLeft, self.texts) = (tag, name, isRightToLeft, texts)
    }

    /// The text, with values for its words in braces. If the language runs from right to left they are isolated from it, since a URL does not.
    package subscript(_ text: DeviceText, values: KeyValuePairs<String, String>) -> String {
        var rest = Substring(texts[text] ?? text.rawValue)
        var result = ""
        // From left to right: a value may have such a word in it.
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            let name = rest[rest.index(after: start)..<end]
            let value = values.first { $0.key == name }?.value ?? ""
            result += rest[..<start]
            result += isRightToLeft ? "\u{2068}\(value)\u{2069}" : value
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    /// The text without words in braces.
    package subscript(_ text: DeviceText) -> String { self[text, [:]] }
}

/// A visible text. `Translations` has it in each language.
package enum DeviceText: String, CaseIterable, Sendable {
    case damagedTitle, damagedText, untrustedTitle, untrustedText, elsewhereTitle, elsewhereText, missingTitle,
        missingText, methodTitle, methodText
    case requestTitle, requestText, emptyTitle, emptyText, frontPageTitle, frontPageText, nearest, mainPage
    case bar, back, home, zoomIn, zoomOut, keyboard, hideKeyboard, space, backspace, enter, shift, languages, hideBar,
        showBar
}
