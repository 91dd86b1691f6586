// SPDX-License-Identifier: Apache-2.0

/// An escaping of text for HTML: the result starts no tag or reference, and ends no attribute in double quotes.
package enum HTMLText {
    /// Replaces `&`, `<`, `>`, `"` and `'` with references, in time proportional to the length.
    ///
    /// Control characters and characters that change the direction of reading stay as they are.
    package static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
