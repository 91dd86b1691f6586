// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A URL in the form that a person types: absolute, or a path on the origin of the archive's main page.
struct ArchivedURL {
    private let text: String
    /// The absolute URL; nil for a path.
    private let absolute: CanonicalURL?

    /// A fault of a text that is neither, and the path that may be meant.
    struct Invalid: Error, CustomStringConvertible {
        let description: String

        init(_ cause: any Error, _ text: String) {
            let isPath = !text.isEmpty && !text.contains(":") && (try? CanonicalURL("http://localhost/\(text)")) != nil
            description = isPath ? "\(cause); did you mean '/\(text)'?" : "\(cause)"
        }
    }

    /// Reads a URL or a path.
    ///
    /// - Throws: `Invalid` for any other text.
    init(_ text: String) throws {
        self.text = text
        do {
            absolute = text.hasPrefix("/") ? nil : try CanonicalURL(text)
        } catch {
            throw Invalid(error, text)
        }
        // A path may still be none that a URL can have.
        if absolute == nil { _ = try CanonicalURL("http://localhost\(text)") }
    }

    func url(in archive: ArchiveReader) throws(ArchiveError) -> CanonicalURL {
        if let absolute { return absolute }
        return try archive.url(ofPath: text)
    }
}
