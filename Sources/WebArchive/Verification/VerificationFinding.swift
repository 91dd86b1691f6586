// SPDX-License-Identifier: Apache-2.0

/// Something that is wrong with an archive.
public struct VerificationFinding: Sendable, Hashable, CustomStringConvertible {
    public enum Severity: String, Sendable {
        /// Something cannot be read, or reads wrong.
        case error
        /// Everything reads, and yet something is not as it should be: a torn tail, a redirect that leads nowhere.
        case warning
    }

    /// Most URLs that ``affectedURLs`` lists.
    public static let maximumListedURLCount = 10

    public var severity: Severity
    public var message: String
    /// Place in the file, in bytes from its start, where it is known.
    public var offset: UInt64?
    /// The canonical URL that is concerned, where there is one; the first of ``affectedURLs``, where there are several.
    public var url: String?
    /// The canonical URLs of the entries that cannot be read, or read wrong, because of this: the first ten, in the order of the archive.
    public var affectedURLs: [String] = []
    /// How many URLs are affected, those that are not listed included. Where more than a million rows are, not all are counted.
    public var affectedURLCount = 0

    public init(_ severity: Severity, _ message: String, offset: UInt64? = nil, url: String? = nil) {
        self.severity = severity
        self.message = message
        self.offset = offset
        self.url = url
    }

    init(_ error: ArchiveError) {
        self.init(.error, error.cause.map { "\(error.message): \($0)" } ?? error.message, offset: error.offset)
    }

    /// One line: severity, message, URLs and place.
    public var description: String {
        var text = "\(severity.rawValue): \(message)"
        let urls = affectedURLs.isEmpty ? url.map { [$0] } ?? [] : affectedURLs
        if !urls.isEmpty { text += ": " + urls.joined(separator: ", ") }
        if affectedURLCount > urls.count { text += " and \(affectedURLCount - urls.count) more" }
        if let offset { text += " (byte \(offset))" }
        return text
    }
}
