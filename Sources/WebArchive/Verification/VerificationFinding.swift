// SPDX-License-Identifier: Apache-2.0

/// A fault of an archive.
public struct VerificationFinding: Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault, for programs: it stays, while messages may change. New codes may come with new versions, so a `switch` needs a
    /// default.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as `webarc verify --json` prints it.
        public let rawValue: String
        /// Creates a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's text.
        public var description: String { rawValue }

        /// Bytes that break a rule of the format or do not match their checksum.
        public static let damaged = Code(ArchiveError.Code.damaged)
        /// A body whose bytes have another digest than the archive says.
        public static let digestMismatch = Code(rawValue: "digestMismatch")
        /// Bytes behind the last commit: a writer did not finish. Specification section 9.
        public static let tornTail = Code(rawValue: "tornTail")
        /// A recovery slot that does not lead to its commit. Specification section 3.
        public static let recoverySlot = Code(rawValue: "recoverySlot")
        /// Bytes that belong to nothing.
        public static let unusedBytes = Code(rawValue: "unusedBytes")
        /// Blocks that no body uses.
        public static let unusedBlocks = Code(rawValue: "unusedBlocks")
        /// A redirect to a URL of a stored site that is not stored.
        public static let redirectTargetMissing = Code(rawValue: "redirectTargetMissing")
        /// Redirects that lead in a circle.
        public static let redirectLoop = Code(rawValue: "redirectLoop")
        /// More redirects one after another than a browser follows.
        public static let tooManyRedirects = Code(rawValue: "tooManyRedirects")
        /// Redirects that were not followed, since that would take more than the budget.
        public static let redirectsNotFollowed = Code(rawValue: "redirectsNotFollowed")
        /// A main page that the metadata names, and that the archive does not answer.
        public static let mainPageMissing = Code(rawValue: "mainPageMissing")
        /// Findings that are counted, and not listed.
        public static let notListed = Code(rawValue: "notListed")

        /// The code of an error that was met.
        init(_ code: ArchiveError.Code) { rawValue = code.rawValue }
    }

    /// The weight of a finding.
    public enum Severity: String, Sendable {
        /// Something cannot be read, or reads wrong.
        case error
        /// Everything reads, and yet something is not as it should be: a torn tail, a redirect or a main page that is missing.
        case warning
    }

    /// The length of the URLs that ``affectedURLs`` of all findings of an archive list together, in bytes.
    static let maximumListedLength = 8 << 20

    /// The kind of fault.
    public var code: Code
    /// The weight.
    public var severity: Severity
    /// The fault in words.
    public var message: String
    /// The place in the file, in bytes from its start, where it is known.
    public var offset: UInt64?
    /// The canonical URL that is concerned, where there is one; the first of ``affectedURLs``, where there are several.
    public var url: String?
    /// The canonical URLs of the entries that cannot be read, or read wrong, because of this, in the order of the archive: all, as
    /// long as those of all findings come to less than 8 MiB.
    public var affectedURLs: [String] = []
    /// How many URLs are affected, those that are not listed included. Where more than a million rows are, not all are counted.
    public var affectedURLCount = 0

    /// Creates a finding.
    public init(
        _ code: Code, _ severity: Severity, _ message: String, offset: UInt64? = nil, url: String? = nil
    ) {
        self.code = code
        self.severity = severity
        self.message = message
        self.offset = offset
        self.url = url
    }

    /// Creates the finding that an error is.
    public init(_ error: ArchiveError) {
        self.init(
            Code(error.code), .error, error.cause.map { "\(error.message): \($0)" } ?? error.message,
            offset: error.offset)
    }

    /// One line: severity, message, URLs and place.
    public var description: String {
        var text = "\(severity.rawValue): \(message)"
        let urls = affectedURLs.isEmpty ? url.map { [$0] } ?? [] : Array(affectedURLs.prefix(10))
        if !urls.isEmpty { text += ": " + urls.joined(separator: ", ") }
        if affectedURLCount > urls.count { text += " and \(affectedURLCount - urls.count) more" }
        if let offset { text += " (byte \(offset))" }
        return text
    }
}
