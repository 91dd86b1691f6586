// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// The text without spaces and tabs around it (RFC 9110 section 5.6.3, OWS).
    package var trimmingOptionalWhitespace: SubSequence {
        guard let start = firstIndex(where: { $0 != " " && $0 != "\t" }),
            let end = lastIndex(where: { $0 != " " && $0 != "\t" })
        else { return self[endIndex...] }
        return self[start...end]
    }
}
