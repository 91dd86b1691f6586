// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebArchiveReplay

/// Text that an archive or a client made up, as HTML: nothing in it is markup, and nothing of it turns the reading direction.
enum ArchivedText {
    /// - Parameter limit: characters that are shown of it.
    static func html(_ text: String, atMost limit: Int = 2000) -> String {
        let shown = text.unicodeScalars.prefix(limit)
        let isCut = shown.endIndex < text.unicodeScalars.endIndex
        return HTMLText.escaped(PrintableText.escaped(String(String.UnicodeScalarView(shown))) + (isCut ? "…" : ""))
    }
}
