// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The bodies of responses by the digests that their records claim: revisits name them.
struct PayloadTable {
    private var bodies: [String: CommitBuilder.BodyReference] = [:]

    /// Adds a body. Of several with one digest the first counts.
    mutating func insert(_ label: String, _ body: CommitBuilder.BodyReference) {
        if bodies[Self.key(label)] == nil { bodies[Self.key(label)] = body }
    }

    /// Returns the body of a digest.
    subscript(label: String) -> CommitBuilder.BodyReference? { bodies[Self.key(label)] }

    /// Writers differ in the case of the algorithm's name.
    private static func key(_ label: String) -> String {
        guard let colon = label.firstIndex(of: ":") else { return label }
        return String(label[..<colon]).asciiLowercased + label[colon...]
    }
}
