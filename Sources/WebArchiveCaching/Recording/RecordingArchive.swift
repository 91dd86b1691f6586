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
/// Recorded exchanges are pending in memory and in nameless files, where lookups find them at once, and are committed together in the background: so
/// the archive is locked against other writers only briefly, and no caller waits for the disk. A crash loses the pending records, and no
/// committed ones (specification section 9). Also in the background, the least recently used captures beyond the capacity or
/// the expiry are removed, and the file is compacted.
///
/// Failed work is retried; ``onFailure`` reports it. Use one `RecordingArchive` for a file in a process; other processes may read
/// the file and record into it too. Any thread may use it.
public final class RecordingArchive: Sendable {
    struct State {
        /// The archive as of the last commit; nil without a file.
        var reader: ArchiveReader?
        var pending = PendingRecords()
        /// The captures of `reader` that have been removed and are in the file until it is compacted.
        var evicted: Set<EntryPosition> = []
        var uses: UseTimes
        var areUsesDelayed = false
        var isClosed = false
        /// Whether ``onFailure`` was called for a record after ``close()``.
        var isRefusalTold = false
        var isCommitDelayed = false
        var isCommitQueued = false
        /// The number of failed commits since the last successful one.
        var failureCount = 0
        var onFailure: (@Sendable (ArchiveError) -> Void)?
    }

    /// The path of the archive, which exists from the first commit on.
    public let path: FilePath
    /// The options of the archive.
    public let options: Options
    let state: Mutex<State>
    /// Held while the file is written to. Never taken while `state` is held.
    let writing = Mutex(Maintenance())
    let queue = DispatchQueue(label: "webarc.recording", qos: .utility)

    /// Opens an archive, or prepares to create one: the file exists after the first commit.
    ///
    /// A torn tail, which a killed writer left behind, is ignored.
    ///
    /// - Parameters:
    ///   - path: the path of the file; its folder must exist by the first commit.
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
    ///   - options: the options, as in ``init(path:options:)-(FilePath,_)``.
    /// - Throws: the errors of ``init(path:options:)-(FilePath,_)``.
    public convenience init(path: String, options: Options = Options()) throws(ArchiveError) {
        try self.init(path: FilePath(path), options: options)
    }

    /// Commits pending records, as far as possible.
    deinit { try? close() }

    /// Opens the archive; nil if there is no file.
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

    /// Returns the path of the file with the times of the last uses.
    static func usesFile(of archive: FilePath) -> FilePath { FilePath(archive.string + ".uses") }

    /// The archive as of the last commit; nil without one. It does not change, and stays valid after later commits.
    public var reader: ArchiveReader? { state.withLock { $0.reader } }

    /// A function that is called when a commit, a removal or a compaction in the background has failed, on any thread; records then stay
    /// pending, and are written again later. It is called as well for each exchange that cannot be stored, and for the first one that comes
    /// after ``close()``.
    ///
    /// It may call the archive, `commit()` included.
    public var onFailure: (@Sendable (ArchiveError) -> Void)? {
        get { state.withLock { $0.onFailure } }
        set { state.withLock { $0.onFailure = newValue } }
    }

    /// The number of pending exchanges and removals.
    public var pendingCount: Int { state.withLock { $0.pending.count } }

    /// The number of exchanges that were lost since the archive was opened: they could not be written, too many were pending while commits
    /// failed, or they came after ``close()``.
    public var droppedCount: Int { state.withLock { $0.pending.droppedCount } }

    /// Commits pending records. From then on lookups find stored records, and nothing is recorded: later exchanges are counted in
    /// ``droppedCount``, and ``onFailure`` is called for the first of them.
    ///
    /// Blocks until the commit is on disk. A second call does no harm.
    ///
    /// - Throws: as `commit()`. The records then stay pending, and satisfy requests; a later call of this or of `commit()` writes them, and
    ///   otherwise they are lost with the process.
    public func close() throws(ArchiveError) {
        state.withLock { $0.isClosed = true }
        defer { saveUses() }
        try commit()
    }

    func report(_ error: ArchiveError) { onFailure?(error) }
}

extension RecordingArchive.Options {
    /// Whether the time of last use matters.
    var removesUnused: Bool { expiry != nil || capacity != RecordingArchive.Capacity() }
}
