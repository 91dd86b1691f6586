// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The properties of a whole WACZ file, or of a collection of them, in its description.
struct WACZDescription {
    /// The title, the description, the URL of the main page and the time of creation; nil for those that are missing.
    let title, text, mainPage, created: String?

    /// - Parameter json: the description; nil without one.
    init(_ json: JSONValue?) {
        func value(_ names: String...) -> String? { names.lazy.compactMap { json?[$0]?.text }.first { !$0.isEmpty } }
        (title, text) = (value("title"), value("description"))
        // Writers differ in the spelling.
        mainPage = value("mainPageUrl", "mainPageURL")
        created = value("created")
    }
}
