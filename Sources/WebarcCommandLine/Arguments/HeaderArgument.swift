// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
package import WebArchive

/// A header field in the form that a person types.
package struct HeaderArgument: FormedArgument {
    package static let form = "a header field such as 'Accept-Language: de'"

    package let field: HeaderField

    /// Reads a field; nil for a text that would not be one field on the wire (RFC 9110 sections 5.1 and 5.5).
    package init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, FieldText.isToken(parts[0].utf8), FieldText.isValue(parts[1].utf8) else { return nil }
        let value = parts[1].drop { $0 == " " || $0 == "\t" }
        field = HeaderField(name: String(parts[0]), value: String(value))
    }
}
