// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebArchiveReplay

/// An escaping of text from an archive or a client as HTML: it contains no markup, and does not change the reading direction.
package enum ArchivedText {
    /// Escapes a text.
    ///
    /// - Parameter limit: the maximum number of characters.
    ///   It counts Unicode scalars before the escaping. A longer text ends in an ellipsis.
    package static func html(_ text: String, atMost limit: Int = 2000) -> String {
        let shown = text.unicodeScalars.prefix(limit)
        let isCut = shown.endIndex < text.unicodeScalars.endIndex
        return HTMLText.escaped(PrintableText.escaped(String(String.UnicodeScalarView(shown))) + (isCut ? "…" : ""))
    }
}
