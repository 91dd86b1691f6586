// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A URL as a person types it: absolute, or a path on the origin of the archive's main page.
struct ArchivedURL {
    private let text: String
    /// Nil for a path.
    private let absolute: CanonicalURL?

    /// - Throws: `InvalidURL` for what is neither.
    init(_ text: String) throws {
        self.text = text
        absolute = text.hasPrefix("/") ? nil : try CanonicalURL(text)
        // A path may still be none that a URL can have.
        if absolute == nil { _ = try CanonicalURL("http://localhost\(text)") }
    }

    func url(in archive: ArchiveReader) throws(ArchiveError) -> CanonicalURL {
        if let absolute { return absolute }
        return try archive.url(ofPath: text)
    }
}
