// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// The requests to which an archive had no response in a proof, as the proof's report for programs has them.
package struct MissedRequests: Sendable {
    /// A request.
    package struct Request: Hashable, Sendable {
        package let method: String
        package let url: String
        /// Whether the request had content, which the report lacks.
        package let hasContent: Bool

        /// The reason why the request cannot be sent again; nil if it can.
        package var obstacle: String? {
            guard !hasContent, ["GET", "HEAD"].contains(method) else {
                return "only requests of GET and HEAD without content can be sent again"
            }
            guard let url = try? CanonicalURL(url), url.isOfHTTP else { return "not an http or https URL" }
            return nil
        }
    }

    /// The requests, each once, in the order of the report.
    package let requests: [Request]

    /// The maximum length of a report in bytes.
    package static let maximumLength = 64 << 20

    /// Reads a report: the lines that `webarc prove --json` prints, of which the last one counts, or that line alone.
    ///
    /// - Throws: `damaged` for another text; `limitExceeded` for one that is too long.
    package init(_ report: [UInt8]) throws(ArchiveError) {
        var limits = JSONText.Limits()
        limits.length = Self.maximumLength
        let line = report.split(separator: UInt8(ascii: "\n")).last { line in line.contains { $0 > 0x20 } }
        let last = try? JSONText.value(Array(line ?? []), limits: limits)
        // A person may have formatted it.
        let json = if let last { last } else { try JSONText.value(report, limits: limits) }
        guard case .array(let misses)? = json["misses"] else {
            throw ArchiveError(.damaged, "the report has no list 'misses'; make it with webarc prove --json")
        }
        var known: Set<Request> = []
        requests = misses.compactMap { miss in
            guard let method = miss["method"]?.text, let url = miss["url"]?.text else { return nil }
            let request = Request(method: method, url: url, hasContent: miss["content"]?.text != nil)
            return known.insert(request).inserted ? request : nil
        }
    }
}
