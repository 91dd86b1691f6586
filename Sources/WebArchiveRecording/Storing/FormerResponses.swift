// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The responses that an archive had before a recording, so that equal ones are not stored again.
struct FormerResponses: Sendable {
    private let archive: ArchiveReader
    /// The digests of the URLs with a new response: the next one of such a URL is stored in any case, for it is the newest.
    private var changed: Set<ContentDigest> = []

    /// The number of URLs that are remembered; with more of them every response is stored.
    private static let maximumCount = 1 << 20
    /// The fields that say nothing about the content, and differ from one response to the next.
    private static let ignored: Set<String> = ["date", "age", "expires", "server-timing", "x-request-id", "cf-ray"]

    init(_ archive: ArchiveReader) { self.archive = archive }

    /// Returns whether the newest response of the archive to the same request is the same, with its fields and its body.
    mutating func hasSame(_ form: StoredForm) -> Bool {
        let url = ContentDigest(hashing: Array(form.request.url.utf8))
        if changed.count < Self.maximumCount, !changed.contains(url), (try? isStored(form)) == true { return true }
        if changed.count < Self.maximumCount { changed.insert(url) }
        return false
    }

    private func isStored(_ form: StoredForm) throws(ArchiveError) -> Bool {
        guard form.request.method == "GET", form.requestBody == nil, form.response.truncation == nil,
            let url = try? CanonicalURL(form.request.url), let entry = try archive.entry(for: url),
            let stored = try entry.response,
            stored.truncation == nil, stored.status == form.response.status,
            try entry.body?.digest == form.digest
        else { return false }
        // The newest one may be the response to other fields of the request.
        let varying = form.response.headers.values(named: "Vary").joined(separator: ",").split(separator: ",")
        guard varying.allSatisfy({ $0.trimmingOptionalWhitespace.asciiLowercased == "accept-encoding" }) else {
            return false
        }
        return Self.lasting(stored.headers) == Self.lasting(form.response.headers)
    }

    private static func lasting(_ fields: HeaderFields) -> HeaderFields {
        HeaderFields(fields.filter { !ignored.contains($0.name.asciiLowercased) })
    }
}
