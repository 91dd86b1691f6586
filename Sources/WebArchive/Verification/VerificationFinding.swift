// SPDX-License-Identifier: Apache-2.0

/// A fault of an archive, reported by ``ArchiveVerifier``.
public struct VerificationFinding: Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault, for programs: it is stable, while messages may change. New codes may come with new versions, so a
    /// `switch` needs a default.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as `webarc verify --json` prints it.
        public let rawValue: String
        /// Creates a code from its text, which need not be known.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's text.
        public var description: String { rawValue }

        /// The code of bytes that break a rule of the format or do not match their checksum.
        public static let damaged = Code(ArchiveError.Code.damaged)
        /// The code of a body whose MD5 differs from the archive's. Specification section 5.
        public static let digestMismatch = Code(rawValue: "digestMismatch")
        /// The code of bytes after the last commit: a writer did not finish. Specification section 9.
        public static let tornTail = Code(rawValue: "tornTail")
        /// The code of a recovery slot that does not lead to its commit. Specification section 3.
        public static let recoverySlot = Code(rawValue: "recoverySlot")
        /// The code of bytes that belong to no section, or of block bytes without a row of `Block`.
        public static let unusedBytes = Code(rawValue: "unusedBytes")
        /// The code of blocks that no body uses.
        public static let unusedBlocks = Code(rawValue: "unusedBlocks")
        /// The code of a redirect to a missing URL of a stored site.
        ///
        /// A target on a host without entries in the archive is not looked up.
        public static let redirectTargetMissing = Code(rawValue: "redirectTargetMissing")
        /// The code of redirects that form a loop.
        public static let redirectLoop = Code(rawValue: "redirectLoop")
        /// The code of a chain of redirects longer than browsers follow: 20.
        public static let tooManyRedirects = Code(rawValue: "tooManyRedirects")
        /// The code of redirects that were not followed, because the budget was used up.
        public static let redirectsNotFollowed = Code(rawValue: "redirectsNotFollowed")
        /// The code of a main page in the metadata that is not a URL or has no response. Specification
        /// section 7, "Metadata".
        public static let mainPageMissing = Code(rawValue: "mainPageMissing")
        /// The code of a part that the trusted keys did not sign. Specification section 13.
        public static let untrusted = Code(ArchiveError.Code.untrusted)
        /// The code of commits after the newest one that the trusted keys signed, which are not read.
        public static let untrustedCommits = Code(rawValue: "untrustedCommits")
        /// The code of findings that are counted, but not listed.
        public static let notListed = Code(rawValue: "notListed")

        /// The code of an error.
        init(_ code: ArchiveError.Code) { rawValue = code.rawValue }
    }

    /// The weight of a finding.
    public enum Severity: String, Sendable {
        /// The weight of a fault that makes data unreadable, or read wrong.
        case error
        /// The weight of a fault that leaves all data readable, such as a torn tail, a
        /// redirect or a main page that is missing.
        case warning
    }

    /// The maximum total length of the URLs in ``affectedURLs`` of all findings of an archive, in bytes.
    static let maximumListedLength = 8 << 20

    /// The kind of fault.
    public var code: Code
    /// The weight.
    public var severity: Severity
    /// The fault in words, for people; it may change from version to version.
    public var message: String
    /// The offset in the file, in bytes from its start; nil if it is unknown.
    public var offset: UInt64?
    /// The affected canonical URL; the first of ``affectedURLs``, if there are several. Nil if there is
    /// none.
    public var url: String?
    /// The canonical URLs of the entries that cannot be read, or are read wrong, because of the fault, in the order of the
    /// archive: all, unless those of all findings exceed 8 MiB.
    public var affectedURLs: [String] = []
    /// The number of affected URLs, including those that are not listed. If more than a million rows are,
    /// not all are counted.
    public var affectedURLCount = 0

    /// Creates a finding that affects no URL.
    ///
    /// - Parameters:
    ///   - code: the kind of fault.
    ///   - severity: its weight.
    ///   - message: a phrase without a full stop.
    ///   - offset: the offset in bytes from the start of the file; nil by default.
    ///   - url: the URL, canonical; nil by default.
    public init(
        _ code: Code, _ severity: Severity, _ message: String, offset: UInt64? = nil, url: String? = nil
    ) {
        self.code = code
        self.severity = severity
        self.message = message
        self.offset = offset
        self.url = url
    }

    /// Creates the finding of an error, with the error's code and offset; the cause is part of the message.
    public init(_ error: ArchiveError) {
        self.init(
            Code(error.code), .error, error.cause.map { "\(error.message): \($0)" } ?? error.message,
            offset: error.offset)
    }

    /// The finding as one line for people: severity, message, at most ten URLs, and the offset.
    public var description: String {
        var text = "\(severity.rawValue): \(message)"
        let urls = affectedURLs.isEmpty ? url.map { [$0] } ?? [] : Array(affectedURLs.prefix(10))
        if !urls.isEmpty { text += ": " + urls.joined(separator: ", ") }
        if affectedURLCount > urls.count { text += " and \(affectedURLCount - urls.count) more" }
        if let offset { text += " (byte \(offset))" }
        return text
    }
}
