// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
public import SystemPackage
public import WebArchive

/// An archive that stays open for reading while exchanges are recorded into it.
///
/// ```swift
/// var options = RecordingArchive.Options()
/// options.capacity = RecordingArchive.Capacity(bytes: 200 << 20)
/// let archive = try RecordingArchive(path: "news.webarc", options: options)
/// archive.onFailure = { error in print(error) }
/// try archive.close()
/// ```
///
/// Recorded exchanges wait in memory and in nameless files, where lookups find them at once, and are committed in one go in the background: so
/// the archive is locked against other writers for moments only, and nobody waits for the disk. A crash loses what waits, and nothing that
/// was committed (specification section 9). In the background as well, what was asked for least recently is removed where the capacity or
/// the expiry says so, and the file is compacted.
///
/// Work that fails is tried again; ``onFailure`` tells of it. Use one `RecordingArchive` for a file in a process; other processes may read
/// the file and record into it too. Any thread may use it.
public final class RecordingArchive: Sendable {
    struct State {
        /// The archive as of the last commit; nil as long as there is no file.
        var reader: ArchiveReader?
        var pending = PendingRecords()
        /// Captures in `reader` that have been removed and are in the file until it is compacted.
        var evicted: Set<EntryPosition> = []
        var uses: UseTimes
        var areUsesDelayed = false
        var isClosed = false
        /// Whether ``onFailure`` was told of something that came after ``close()``.
        var isRefusalTold = false
        var isCommitDelayed = false
        var isCommitQueued = false
        /// Commits that have failed since the last one that did not.
        var failureCount = 0
        var onFailure: (@Sendable (ArchiveError) -> Void)?
    }

    /// The path of the archive, which is there from the first commit on.
    public let path: FilePath
    /// The options with which the archive was opened.
    public let options: Options
    let state: Mutex<State>
    /// Held while the file is written to. Never taken while `state` is held.
    let writing = Mutex(Maintenance())
    let queue = DispatchQueue(label: "webarc.recording", qos: .utility)

    /// Opens an archive, or prepares to create one: the file is there after the first commit.
    ///
    /// A torn tail, which a killed writer left behind, is ignored.
    ///
    /// - Parameters:
    ///   - path: the file; its folder must be there by the first commit.
    ///   - options: the default options by default.
    /// - Throws: errors of opening an archive if there is a file that is not a readable archive: `notAnArchive`, `unsupportedVersion`,
    ///   `unsupportedFeature`, `truncated`, `damaged` or `io`.
    public init(path: FilePath, options: Options = Options()) throws(ArchiveError) {
        self.path = path
        self.options = options
        let reader = try Self.open(path, options.access)
        let times =
            options.removesUnused ? UseTimesFile(path: Self.usesFile(of: path)).read(now: options.now()) : [:]
        state = Mutex(State(reader: reader, uses: UseTimes(times)))
        if reader != nil { maintainInBackground() }
        sweepLater()
    }

    /// Opens an archive, or prepares to create one. As ``init(path:options:)-(FilePath,_)``.
    ///
    /// - Parameters:
    ///   - path: the path as text.
    ///   - options: as there.
    /// - Throws: as there.
    public convenience init(path: String, options: Options = Options()) throws(ArchiveError) {
        try self.init(path: FilePath(path), options: options)
    }

    /// Commits what waits, as far as it can.
    deinit { try? close() }

    /// Nil if there is no file.
    static func open(
        _ path: FilePath, _ access: FileByteSource.Access
    ) throws(ArchiveError) -> ArchiveReader? {
        do throws(ArchiveError) {
            return try ArchiveReader(path: path, access: access)
        } catch {
            // No file is not a failure.
            if error.cause as? Errno == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    /// The file with the times of the last uses.
    static func usesFile(of archive: FilePath) -> FilePath { FilePath(archive.string + ".uses") }

    /// The archive as of the last commit; nil as long as there is none. Stays as it is, and valid, whatever is committed later.
    public var reader: ArchiveReader? { state.withLock { $0.reader } }

    /// A function that is called when a commit, a removal or a compaction in the background has failed, on any thread; what waits continues
    /// waiting then, and is tried again. It is called as well for each exchange that cannot be stored, and for the first one that comes
    /// after ``close()``.
    ///
    /// It may call the archive, `commit()` included.
    public var onFailure: (@Sendable (ArchiveError) -> Void)? {
        get { state.withLock { $0.onFailure } }
        set { state.withLock { $0.onFailure = newValue } }
    }

    /// The number of exchanges and removals that wait for a commit.
    public var pendingCount: Int { state.withLock { $0.pending.count } }

    /// The number of exchanges that were lost since the archive was opened: they could not be written, too many waited while commits
    /// failed, or they came after ``close()``.
    public var droppedCount: Int { state.withLock { $0.pending.droppedCount } }

    /// Commits what waits. From here on lookups find what is stored, and nothing is recorded: what comes is counted in ``droppedCount``, and
    /// ``onFailure`` is told of the first.
    ///
    /// Blocks until the commit is on disk. A second call does no harm.
    ///
    /// - Throws: as `commit()`. What waits continues waiting then, and satisfies requests; it is written by another call of this or of `commit()`, and
    ///   lost with the process otherwise.
    public func close() throws(ArchiveError) {
        state.withLock { $0.isClosed = true }
        defer { saveUses() }
        try commit()
    }

    func report(_ error: ArchiveError) { onFailure?(error) }
}

extension RecordingArchive.Options {
    /// Whether it matters when an exchange was used last.
    var removesUnused: Bool { expiry != nil || capacity != RecordingArchive.Capacity() }
}
