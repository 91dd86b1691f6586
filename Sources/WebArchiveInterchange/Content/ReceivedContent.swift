// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// The content of a message as it was received, from which codings are removed: those that its fields claim and its bytes prove.
package struct ReceivedContent {
    /// The content without the codings.
    package let body: SpooledBody
    /// The codings that were removed, in the order of their application, by their names in the message.
    package let removed: [String]

    /// The maximum length of decoded content, for each byte of coded content, and beyond the first 64 MiB. Real text stays far below.
    private static let maximumRatio: UInt64 = 2_000

    /// Removes codings.
    ///
    /// A claim that the bytes do not prove is not believed: the content then stays as it is, with the codings that were removed before.
    ///
    /// - Parameters:
    ///   - content: the bytes behind the head.
    ///   - fields: the fields of the message.
    ///   - charge: a function that is called with the number of decoded bytes. If it throws `limitExceeded`, the content stays as it is.
    /// - Throws: `io`; `limitExceeded` without memory.
    package init(
        _ content: SpooledBody, _ fields: HeaderFields, charge: (Int) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        // Content codings first, then transfer codings, each list in the order of application (RFC 9110 section 8.4, RFC 9112 section 6.1).
        let names = Self.names(fields, "Content-Encoding") + Self.names(fields, "Transfer-Encoding")
        var (body, removed) = (content, [String]())
        let limit = content.length.multipliedSaturated(by: Self.maximumRatio).addingSaturated(64 << 20)
        for name in names.reversed() where name.asciiLowercased != "identity" {
            guard let coding = Coding(name: name), let decoded = try Self.decoded(body, coding, limit, charge) else {
                // Chunks are often gone where the field still claims them.
                if Coding(name: name) == .chunked { continue }
                break
            }
            body = decoded
            removed.insert(name.asciiLowercased, at: 0)
        }
        (self.body, self.removed) = (body, removed)
    }

    private static func names(_ fields: HeaderFields, _ name: String) -> [String] {
        // A hostile message may have thousands; no message has more than a few.
        fields.values(named: name).flatMap { $0.split(separator: ",") }.prefix(8)
            .map { String($0.trimmingOptionalWhitespace) }.filter { !$0.isEmpty }
    }

    /// Returns the content without a coding; nil if it is not in this coding.
    private static func decoded(
        _ content: SpooledBody, _ coding: Coding, _ limit: UInt64, _ charge: (Int) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> SpooledBody? {
        guard content.length > 0,
            let decoder = try coding.decoder(start: content.bytes(in: 0..<min(4, content.length)))
        else { return nil }
        let body = SpooledBody(maximumLength: limit)
        do throws(ArchiveError) {
            try content.forEachBuffer { chunk throws(ArchiveError) in
                try decoder.decode(chunk) { bytes throws(ArchiveError) in
                    try charge(bytes.count)
                    try body.append(bytes)
                }
            }
            try decoder.finish()
        } catch {
            guard [.damaged, .truncated, .limitExceeded].contains(error.code) else { throw error }
            return nil
        }
        body.finish()
        return body
    }
}
