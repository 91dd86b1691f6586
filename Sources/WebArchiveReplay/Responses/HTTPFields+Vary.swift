// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import WebArchive

extension HTTPFields {
    /// Adds names to `Vary` (RFC 9110 section 12.5.5), unless it has them or `*`.
    ///
    /// Names are compared without regard to case. Several `Vary` fields become one.
    ///
    /// - Parameter names: the names of request fields on which the choice of the response depends.
    mutating func add(varying names: [String]) {
        let known = self[.vary].map { $0.split(separator: ",").map { $0.filter { $0 != " " }.asciiLowercased } } ?? []
        guard !known.contains("*") else { return }
        let missing = names.filter { !known.contains($0.asciiLowercased) }
        guard !missing.isEmpty else { return }
        self[.vary] = ((self[.vary].map { [$0] } ?? []) + missing).joined(separator: ", ")
    }
}
