// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// A writer of a new archive, or of a commit that is appended to one: bodies first, then the entries that use them,
/// then ``commit()``.
///
/// Until `commit` returns, nothing of it is visible: a new archive is written beside its name, as `NAME.partial`, and
/// an appended commit does not exist before its footer does. A cancelled writer, or one whose process is killed, leaves
/// the previous archive. After an I/O error the writer is poisoned, and so is one that has finished. A writer is for
/// one thread. It takes memory for the rows of the index and for texts, not for bodies. Specification sections 9 and
/// 11.
///
/// ```swift
/// let writer = try ArchiveWriter(creating: "notes.webarc")
/// let page = try writer.addBody(Array("<!doctype html><title>Notes</title>".utf8))
/// try writer.add(
///     ArchiveRequest(url: "https://notes.example/"),
///     response: ArchiveResponse(headers: ["Content-Type": "text/html; charset=utf-8"]), body: page)
/// try writer.commit()
/// ```
public final class ArchiveWriter {
    /// The options of a writer. The same input with the same options produces the same bytes (specification section 11).
    public struct Options: Sendable {
        /// The level at which bodies are compressed; ``CompressionLevel/standard`` by default.
        public var level: CompressionLevel
        /// The length of a full block, decoded: 2 to the power of this, in bytes; 12 to 20. An archive that is appended
        /// to keeps its own.
        ///
        /// Reading any part of a block costs decoding all of it, and longer blocks compress better. Specification
        /// section 3.
        public var blockExponent: UInt8

        /// The keys and the statement for the signature of ``ArchiveWriter/commit()``; nil, the default, for none.
        ///
        /// Signing reads all covered data again, to hash it. A commit that is appended
        /// covers earlier commits that no signature covers yet, by any writer: inspect them first. Specification
        /// section 13.
        public var signing: ArchiveSigning?
        /// The archive as of the inspection of its commits; nil without one. If it differs by now, nothing is
        /// added to it.
        package var examined: ArchiveReader?

        /// The exponent of blocks of 256 KiB: 18.
        public static let standardBlockExponent: UInt8 = FormatLimits.defaultBlockExponent

        /// Creates options; the defaults are those of `webarc pack`.
        ///
        /// - Parameters:
        ///   - level: the level; ``CompressionLevel/standard`` by default.
        ///   - blockExponent: the block exponent, 12 to 20; ``standardBlockExponent`` by default.
        ///   - signing: nil by default.
        public init(
            level: CompressionLevel = .standard, blockExponent: UInt8 = standardBlockExponent,
            signing: ArchiveSigning? = nil
        ) {
            self.level = level
            self.blockExponent = blockExponent
            self.signing = signing
        }
    }

    /// A body that the archive has, or will have with this commit. It is valid only for the writer that returned it.
    public struct BodyReference: Hashable, Sendable {
        /// The number through all commits, from 1, in the order in which bodies were added.
        package let number: UInt32
        /// The MD5 of the body.
        public let digest: ContentDigest
        /// The length of the body, in bytes.
        public let length: UInt64

        package init(number: UInt32, digest: ContentDigest, length: UInt64) {
            (self.number, self.digest, self.length) = (number, digest, length)
        }
    }

    /// An entry that was added. It is valid only for the writer that returned it.
    public struct EntryReference: Sendable {
        /// The number of the entry in this commit, from 0; undefined for one of an earlier commit.
        let number: Int
        /// The entry of an earlier commit, which has no number in this one, or the original of an alias of it; nil otherwise.
        var earlier: ArchiveEntry?
        /// The number through all commits, from 1, of an entry of an earlier commit; nil otherwise.
        var committed: UInt32?

        /// Whether the entry is one of an earlier commit, or an alias of it.
        package var isEarlier: Bool { earlier != nil }
    }

    let builder: CommitBuilder

    /// Starts a new archive, which gets its name with ``commit()``; an archive of that name is then replaced.
    ///
    /// The new archive keeps the group and the permissions of the one that it replaces, where that is a file of this
    /// user. A file of no bytes, and an archive that is damaged, are replaced as well.
    ///
    /// - Parameters:
    ///   - path: the path, in an existing folder. A symbolic link is followed, unless another user left it in a shared
    ///     folder.
    ///   - options: the options; by default those of `webarc pack`.
    /// - Throws: `locked` if another writer has locked the archive, `alreadyExists` if a file of that name is not an archive, or a
    ///   folder, `changed` if another program replaced the archive meanwhile, or `io`.
    public init(creating path: FilePath, options: Options = Options()) throws(ArchiveError) {
        builder = try CommitBuilder(creating: path, options: options)
    }

    /// Starts a new commit of an archive.
    ///
    /// Writes to the file at once: the recovery slot of section 3, and a torn tail is cut off (section 9). Waits until
    /// that is on disk.
    ///
    /// - Parameters:
    ///   - path: the path of an archive. A symbolic link is followed, unless another user left it in a shared folder.
    ///   - options: the options; by default those of `webarc pack`. The length of blocks is the archive's.
    /// - Throws: errors of opening an archive; `damaged` if its last commit was whole once and no longer is;
    ///   `limitExceeded` for more than 1,024 commits; `locked` if another writer has locked it; `changed` if another
    ///   program replaced the archive meanwhile; or `io`.
    public init(appendingTo path: FilePath, options: Options = Options()) throws(ArchiveError) {
        builder = try CommitBuilder(appendingTo: path, options: options)
    }

    /// Starts a new archive. As ``init(creating:options:)-(FilePath,_)``.
    ///
    /// - Parameters:
    ///   - path: the path as text.
    ///   - options: the options, as in ``init(creating:options:)-(FilePath,_)``.
    /// - Throws: the errors of ``init(creating:options:)-(FilePath,_)``.
    public convenience init(creating path: String, options: Options = Options()) throws(ArchiveError) {
        try self.init(creating: FilePath(path), options: options)
    }

    /// Starts a new commit of an archive. As ``init(appendingTo:options:)-(FilePath,_)``.
    ///
    /// - Parameters:
    ///   - path: the path as text.
    ///   - options: the options, as in ``init(appendingTo:options:)-(FilePath,_)``.
    /// - Throws: the errors of ``init(appendingTo:options:)-(FilePath,_)``.
    public convenience init(appendingTo path: String, options: Options = Options()) throws(ArchiveError) {
        try self.init(appendingTo: FilePath(path), options: options)
    }

    /// Stores a body, unless the archive already has the same bytes.
    ///
    /// It costs an MD5 of the bytes, a comparison with a stored body of the same digest and length, if there is one, and
    /// the compression of new bytes. A block that compression makes less than about 3 % shorter is stored raw
    /// (specification section 5).
    ///
    /// - Parameter bytes: the body after content and transfer decoding; may be empty.
    /// - Returns: the reference for entries and metadata of this commit.
    /// - Throws: `io`; `limitExceeded` for more bodies or bytes than an archive can hold; `poisoned`; `damaged` where
    ///   the index of earlier commits is, which is searched for the digest.
    public func addBody(_ bytes: [UInt8]) throws(ArchiveError) -> BodyReference {
        try bytes.withBytes { (buffer) throws(ArchiveError) in try builder.addBody(buffer) }
    }

    /// Stores a body, unless the archive already has the same bytes. As ``addBody(_:)-([UInt8])``, without an
    /// array.
    ///
    /// - Throws: the errors of ``addBody(_:)-([UInt8])``.
    public func addBody(_ bytes: RawSpan) throws(ArchiveError) -> BodyReference {
        try bytes.withUnsafeBytes { (buffer) throws(ArchiveError) in try builder.addBody(buffer) }
    }

    /// Starts a body whose bytes arrive in pieces. It takes memory for one block, for any length.
    ///
    /// Until the stream is finished, nothing else may be added.
    ///
    /// ```swift
    /// let stream = try writer.beginBody()
    /// for piece in pieces { try stream.write(piece) }
    /// let film = try stream.finish()
    /// ```
    ///
    /// - Returns: a stream, to be ended with ``BodyStream/finish()`` or ``BodyStream/cancel()``.
    /// - Throws: `poisoned`.
    public func beginBody() throws(ArchiveError) -> BodyStream { try builder.beginBody() }

    /// Adds an exchange (specification section 7, "Entry").
    ///
    /// A `Date` field sets the time and a `Last-Modified` field the time of modification, if these are not given
    /// and the field is a single IMF-fixdate. A response with a redirect's status and a `Location` field
    /// becomes a redirect, its target resolved against the request's URL.
    ///
    /// - Parameters:
    ///   - request: its URL in any spelling; the key is the canonical form (section 8.1).
    ///   - requestBody: a reference of this writer; nil, the default, for none.
    ///   - response: the response; nil for none: with a time that is not before theirs, this hides the older captures
    ///     of the request (section 8.5).
    ///   - body: the body of the response, a reference of this writer; nil, the default, for none.
    ///   - time: the time of the response; nil, the default, for the time of its `Date` field, or unknown.
    ///   - role: the role; by default ``ArchiveEntry/Role/exchange``.
    /// - Returns: the reference by which ``addAlias(_:of:role:)`` knows the entry.
    /// - Throws: `invalidArgument` for a URL that is not absolute or a status outside 100 to 999; `limitExceeded` for a
    ///   text of more than 1 MiB, more than 4,096 fields, or fields of more than 16 MiB (section 10); `poisoned`.
    @discardableResult
    public func add(
        _ request: ArchiveRequest, requestBody: BodyReference? = nil, response: ArchiveResponse?,
        body: BodyReference? = nil, time: ArchiveTime? = nil, role: ArchiveEntry.Role = .exchange
    ) throws(ArchiveError) -> EntryReference {
        try builder.add(
            request, requestBody: requestBody, response: response, body: body, time: time, role: role)
    }

    /// Adds an entry for a second URL with the same response as `entry`, and stores nothing twice.
    ///
    /// It has the time of that entry, or the largest that earlier commits have for the URL, which would hide it
    /// otherwise.
    ///
    /// - Parameters:
    ///   - url: the key of the new entry.
    ///   - entry: a reference of this writer.
    ///   - role: the role; by default ``ArchiveEntry/Role/alias``, for which unpacking makes no file.
    /// - Returns: the reference of the new entry.
    /// - Throws: `limitExceeded`, `poisoned`, and `damaged` or `io` where earlier commits are read.
    @discardableResult
    public func addAlias(
        _ url: CanonicalURL, of entry: EntryReference, role: ArchiveEntry.Role = .alias
    ) throws(ArchiveError) -> EntryReference {
        try builder.addAlias(url, of: entry, role: role)
    }

    /// Sets a metadata value; nil removes one that an earlier commit set. Specification section 7, "Metadata".
    ///
    /// The value that is set last counts.
    ///
    /// - Parameters:
    ///   - name: a name of that section, such as `title` or `mainPage`, or one that begins with `x-`; not checked, at most
    ///     1 MiB.
    ///   - value: at most 1 MiB of UTF-8.
    /// - Throws: `limitExceeded`, `poisoned`.
    public func setMetadata(_ name: String, to value: String?) throws(ArchiveError) {
        try builder.setMetadata(name, to: value)
    }

    /// Sets a metadata value that is a body, such as an icon. Specification section 7, "Metadata".
    ///
    /// - Parameters:
    ///   - name: the name, as in ``setMetadata(_:to:)-(_,String?)``.
    ///   - body: a reference of this writer.
    /// - Throws: `limitExceeded`, `poisoned`.
    public func setMetadata(_ name: String, to body: BodyReference) throws(ArchiveError) {
        try builder.setMetadata(name, to: body)
    }

    /// Cancels the writer: the previous archive stays. It has no effect after ``commit()``, and all other calls throw
    /// `poisoned` then.
    ///
    /// A writer that is freed without a commit does the same.
    public func cancel() { builder.cancel() }

    /// Makes all additions visible, all at once, after they have reached the disk.
    ///
    /// A commit without additions writes nothing, unless it would be the first one, or is signed: so a signature
    /// can be added to an existing archive. It sorts and writes the index, and waits for the disk: twice for an appended commit, and for the
    /// file and its folder of
    /// a new archive. The writer is finished afterwards, and cancelled if this throws.
    ///
    /// - Throws: `io`, `limitExceeded`, `poisoned`; `changed` if the file was moved or removed while it was written;
    ///   `invalidArgument` for a statement that cannot be written, `untrusted` for earlier commits that cannot be
    ///   signed.
    public func commit() throws(ArchiveError) { try builder.commit() }
}
