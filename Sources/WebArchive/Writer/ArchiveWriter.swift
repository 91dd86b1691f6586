// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// A writer of a new archive, or of a commit that is appended to one: bodies first, then the entries that use them, then ``commit()``.
///
/// Until `commit` returns, nothing of it can be seen: a new archive is written beside its name, and an appended commit is not
/// there before its footer is. A writer that is given up, or whose process is killed, leaves what was there before. After an I/O error the writer is
/// poisoned. One writer serves one thread. Specification sections 9 and 11.
public final class ArchiveWriter {
    /// The options of a writer.
    public struct Options: Sendable {
        /// The level at which bodies are compressed.
        public var level: CompressionLevel
        /// The length of a full block, decoded: 2 to the power of this, in bytes; 12 to 20. An archive that is appended to keeps its own.
        public var blockExponent: UInt8

        /// The exponent of blocks of 256 KiB.
        public static let standardBlockExponent: UInt8 = FormatLimits.defaultBlockExponent

        /// Creates options; the defaults are those of `webarc pack`.
        public init(level: CompressionLevel = .standard, blockExponent: UInt8 = standardBlockExponent) {
            self.level = level
            self.blockExponent = blockExponent
        }
    }

    /// A body that the archive holds, or will hold with this commit.
    public struct BodyReference: Hashable, Sendable {
        /// Through all commits, from 1, in the order in which bodies were added.
        package let number: UInt32
        /// The digest of the body.
        public let digest: ContentDigest
        /// The length of the body, in bytes.
        public let length: UInt64
    }

    /// An entry that was added.
    public struct EntryReference: Sendable {
        let number: Int
        /// Set for an entry of an earlier commit, which has no number in this one, and for an alias of it.
        var earlier: ArchiveEntry?

        package var isEarlier: Bool { earlier != nil }
    }

    let builder: CommitBuilder

    /// Starts a new archive, which gets its name with ``commit()``; an archive of that name is then replaced.
    ///
    /// - Throws: `locked`, `alreadyExists` if a file of that name is no archive, or `io`.
    public init(creating path: FilePath, options: Options = Options()) throws(ArchiveError) {
        builder = try CommitBuilder(creating: path, options: options)
    }

    /// Starts a new commit of an archive.
    ///
    /// - Throws: what opening an archive throws; `damaged` if its last commit was whole once and is not any more;
    ///   `limitExceeded` for more than 1,024 commits; `locked` or `io`.
    public init(appendingTo path: FilePath, options: Options = Options()) throws(ArchiveError) {
        builder = try CommitBuilder(appendingTo: path, options: options)
    }

    /// Starts a new archive. As ``init(creating:options:)-(FilePath,_)``.
    public convenience init(creating path: String, options: Options = Options()) throws(ArchiveError) {
        try self.init(creating: FilePath(path), options: options)
    }

    /// Starts a new commit of an archive. As ``init(appendingTo:options:)-(FilePath,_)``.
    public convenience init(appendingTo path: String, options: Options = Options()) throws(ArchiveError) {
        try self.init(appendingTo: FilePath(path), options: options)
    }

    /// Stores a body, unless the archive holds these very bytes already.
    ///
    /// - Throws: `io`, `limitExceeded`, `poisoned`.
    public func addBody(_ bytes: [UInt8]) throws(ArchiveError) -> BodyReference {
        try bytes.withBytes { (buffer) throws(ArchiveError) in try builder.addBody(buffer) }
    }

    /// Stores a body, unless the archive holds these very bytes already.
    ///
    /// - Throws: `io`, `limitExceeded`, `poisoned`.
    public func addBody(_ bytes: RawSpan) throws(ArchiveError) -> BodyReference {
        try bytes.withUnsafeBytes { (buffer) throws(ArchiveError) in try builder.addBody(buffer) }
    }

    /// Starts a body whose bytes come piece by piece. Memory for one block is taken, whatever its length.
    ///
    /// Until the stream is finished, nothing else may be added.
    ///
    /// - Throws: `poisoned`.
    public func beginBody() throws(ArchiveError) -> BodyStream { try builder.beginBody() }

    /// Adds an exchange.
    ///
    /// A `Date` field gives the time and a `Last-Modified` field the time of modification, where these are not given. A response with
    /// a redirect's status and a `Location` field becomes a redirect, its target resolved against the request's URL.
    ///
    /// - Parameters:
    ///   - response: nil if nothing was answered.
    ///   - time: when the response came.
    /// - Throws: `invalidArgument` for a URL that is not absolute or a status outside 100 to 999; `limitExceeded`, `poisoned`.
    @discardableResult
    public func add(
        _ request: ArchiveRequest, requestBody: BodyReference? = nil, response: ArchiveResponse?,
        body: BodyReference? = nil, time: ArchiveTime? = nil, role: ArchiveEntry.Role = .exchange
    ) throws(ArchiveError) -> EntryReference {
        try builder.add(
            request, requestBody: requestBody, response: response, body: body, time: time, role: role)
    }

    /// Adds an entry for another URL that is answered as `entry` is.
    ///
    /// It has the time of that entry, or the largest that earlier commits have for the URL, which would hide it otherwise.
    ///
    /// - Throws: `limitExceeded`, `poisoned`, and `damaged` or `io` where earlier commits are read.
    @discardableResult
    public func addAlias(
        _ url: CanonicalURL, of entry: EntryReference, role: ArchiveEntry.Role = .alias
    ) throws(ArchiveError) -> EntryReference {
        try builder.addAlias(url, of: entry, role: role)
    }

    /// Sets a metadata value; nil removes one that an earlier commit set. Specification section 7, "Metadata".
    ///
    /// - Throws: `limitExceeded`, `poisoned`.
    public func setMetadata(_ name: String, to value: String?) throws(ArchiveError) {
        try builder.setMetadata(name, to: value)
    }

    /// Sets a metadata value that is a body, such as an icon.
    ///
    /// - Throws: `limitExceeded`, `poisoned`.
    public func setMetadata(_ name: String, to body: BodyReference) throws(ArchiveError) {
        try builder.setMetadata(name, to: body)
    }

    /// Gives up: what was there before stays as it was.
    public func cancel() { builder.cancel() }

    /// Makes everything that was added visible, all at once, after it has reached the disk.
    ///
    /// A commit to which nothing was added writes nothing, unless it would be the first one.
    ///
    /// - Throws: `io`, `limitExceeded`, `poisoned`.
    public func commit() throws(ArchiveError) { try builder.commit() }
}
