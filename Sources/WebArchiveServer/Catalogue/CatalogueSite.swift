// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
public import SystemPackage
import WebArchive

/// An archive of a catalogue: its name, its description, and its library while it is open.
public final class CatalogueSite: Sendable {
    /// The result of opening an archive.
    enum Opening: Sendable {
        /// The archive is open, and its library serves it until the site is closed.
        case open(ArchiveLibrary)
        /// The archive could not be opened, for the reason of the error. It may be tried again: see
        /// ``CatalogueSite/lastingOpening``.
        case failed(ArchiveError)
    }

    /// The stages of opening: an archive that is open, or failed to open, is not being opened as well.
    private enum Stage {
        /// Nothing is open, or an opening is in progress, for which `opens` has a member.
        case closed, beingOpened
        /// An opening has ended, with either result.
        case opened(Opening)
    }

    /// The state of a site, which all threads share under one lock. No file is read while the lock is held.
    private struct State {
        var stage = Stage.closed
        /// The number of the last use among the uses of all sites; a larger one is later.
        var lastUse = 0
        /// The last description, which is kept while a newer one is read.
        var description: ArchiveDescription?
        /// The identity of the file when it was described or its description began.
        var described: FileIdentity?
        /// The identity of the file when opening it failed, and the time of that.
        var failed: (identity: FileIdentity?, time: ContinuousClock.Instant)?
        /// The change of the file of an open archive.
        var change: SettledChange<[FileIdentity?]>?
    }

    /// The label of the site's host name (RFC 1123 section 2.1): letters of a to z, digits and hyphens. It is made of at most 48 characters
    /// of the file's name; `-2`, `-3` … are added if another site has it. A file with exactly this spelling has it first.
    public let name: String
    /// The archive's file.
    ///
    /// It identifies the site: a file of another name is another site.
    public let path: FilePath
    private let state = Mutex(State())
    /// The time from an opening that failed for a transient reason to the next.
    private let retryInterval: Duration
    /// A group that has a member while the archive is being opened.
    ///
    /// Callers wait for it with a timeout.
    private let opens = DispatchGroup()

    /// An opening in progress. It ends as well if the threads have ended and drop the work: no caller waits for it any more, and
    /// a new one may begin.
    private final class Turn: Sendable {
        private let site: CatalogueSite
        /// Whether the turn has ended, so that only the first end leaves the group.
        private let hasEnded = Atomic(false)

        /// - Parameter site: its stage is `beingOpened`, and its group has been entered.
        init(of site: CatalogueSite) { self.site = site }

        deinit { end() }

        /// Ends the turn: an opening without a result leaves the site closed, and callers that wait continue. Later
        /// calls do nothing.
        func end() {
            guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
            site.state.withLock { if case .beingOpened = $0.stage { $0.stage = .closed } }
            site.opens.leave()
        }
    }

    /// Creates a site that is closed and has no description. It reads nothing.
    ///
    /// - Parameters:
    ///   - name: the label, which must be unique in the catalogue.
    ///   - path: the file of the archive.
    ///   - retryInterval: the time after which a transient failure may be tried again; 2 seconds by default.
    init(_ name: String, _ path: FilePath, retryInterval: Duration = .seconds(2)) {
        self.name = name
        self.path = path
        self.retryInterval = retryInterval
    }

    /// Returns the label for a file's name (RFC 1123 section 2.1).
    ///
    /// A part of an archive has the label of the whole archive. ASCII letters become lower case, and each run of all
    /// other bytes becomes one hyphen. A name without any letter or digit becomes `site`.
    static func label(_ path: FilePath) -> String {
        let archive = PartName(path)?.archive ?? path
        let stem = (archive.lastComponent?.stem ?? "").asciiLowercased
        let parts = stem.utf8.split { byte in
            !((0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte))
        }
        let label = parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-").prefix(48)
        return label.isEmpty ? "site" : label.hasSuffix("-") ? String(label.dropLast()) : String(label)
    }

    // MARK: - Description

    /// The description by the archive's metadata; nil until it has been read.
    var description: ArchiveDescription? { state.withLock { $0.description } }

    /// Whether the file was never described, or has changed since its description began. Costs one `stat`.
    var needsDescription: Bool {
        let now = FileStatus(of: path)?.identity
        return state.withLock { $0.description == nil && $0.described == nil || $0.described != now }
    }

    /// Describes the archive, unless the same file was described last. Blocks while the file system does not respond.
    ///
    /// A description that failed for a passing reason is due again at the next look.
    ///
    /// A missing file is described each time, and its description is an error.
    ///
    /// - Parameter trust: the keys that must have signed the archive; nil for any. A description never records a sequence.
    func describe(trust: ArchiveTrust?) {
        let identity = FileStatus(of: path)?.identity
        let isDue = state.withLock { state in
            if state.described == identity, identity != nil { return false }
            state.described = identity
            return true
        }
        guard isDue else { return }
        let description = ArchiveDescription(of: path, trust: trust?.withoutRecording)
        let isPassing = description.failure?.isPassing(for: path) == true
        state.withLock { state in
            state.description = description
            if isPassing { state.described = nil }
        }
    }

    // MARK: - Opening

    /// The result of the last opening; nil while the archive is closed or is being opened.
    var opening: Opening? { state.withLock { Self.opening($0) } }
    /// The number of the last use; 0 before the first one.
    var lastUse: Int { state.withLock { $0.lastUse } }
    /// Whether the archive is open, and so counts among the open sites of the catalogue.
    var isOpen: Bool { if case .open? = opening { true } else { false } }

    /// Records a use, by a number that grows with each use of any site.
    func touch(_ use: Int) { state.withLock { $0.lastUse = use } }
    /// Closes the archive; requests that use it continue. It is opened again on demand.
    ///
    /// A failure and an opening in progress stay as they are.
    func close() { state.withLock { if case .opened(.open) = $0.stage { $0.stage = .closed } } }

    /// The lasting result of opening: nil for an archive that is not open, and for a failure that may be transient.
    var lastingOpening: Opening? { state.withLock { mayOpenAgain($0) ? nil : Self.opening($0) } }

    /// Returns the result of a state, for callers that hold the lock.
    private static func opening(_ state: State) -> Opening? {
        if case .opened(let opening) = state.stage { opening } else { nil }
    }

    /// Returns whether the archive failed to open for a transient reason, and the retry interval has passed since.
    private func mayOpenAgain(_ state: State) -> Bool {
        guard case .failed(let error)? = Self.opening(state), let failed = state.failed else { return false }
        return error.isPassing(for: path) && ContinuousClock.now - failed.time >= retryInterval
    }

    /// Opens the archive on another thread, unless that is in progress or done. A transient failure is not final.
    ///
    /// Returns at once, before the archive is open. If a failed file has been replaced during the attempt, the new one
    /// is tried at once.
    ///
    /// - Parameters:
    ///   - options: the options of the library, with the share of the cache that this site gets.
    ///   - threads: the threads, of which one is occupied until the file system responds.
    func open(_ options: ArchiveLibrary.Options, on threads: CatalogueThreads) {
        let begins = state.withLock { state in
            if mayOpenAgain(state) { state.stage = .closed }
            guard case .closed = state.stage else { return false }
            state.stage = .beingOpened
            // A client that finds the archive being opened has something to wait for.
            opens.enter()
            return true
        }
        guard begins else { return }
        let turn = Turn(of: self)
        threads.run { [self] in
            var (opening, identity) = attempt(options)
            // The fault may be that of a file which has been replaced since.
            if case .failed = opening, FileStatus(of: path)?.identity != identity {
                (opening, identity) = attempt(options)
            }
            state.withLock { state in
                state.stage = .opened(opening)
                switch opening {
                case .open(let library): state.change = SettledChange(known: library.openStamps)
                case .failed: state.failed = (identity, .now)
                }
            }
            turn.end()
        }
    }

    /// Tries to open the archive, and returns the identity of its file.
    ///
    /// The identity is read first, so that a file that is replaced meanwhile differs from it.
    private func attempt(_ options: ArchiveLibrary.Options) -> (Opening, FileIdentity?) {
        let identity = FileStatus(of: path)?.identity
        do throws(ArchiveError) {
            return (.open(try ArchiveLibrary([path], options: options)), identity)
        } catch {
            return (.failed(error), identity)
        }
    }

    /// Waits for an opening in progress, and returns its result; nil if there is none yet.
    ///
    /// - Parameter milliseconds: the patience; 0 or less returns at once.
    func waitUntilOpen(milliseconds: Int) -> Opening? {
        if opening == nil, milliseconds > 0 { _ = opens.wait(timeout: .now() + .milliseconds(milliseconds)) }
        return opening
    }

    /// Opens a changed file, if it verifies; otherwise returns the reason.
    ///
    /// It blocks for as long as a changed archive is verified. An archive that failed to open becomes closed if its
    /// file has changed, so that the next request tries it.
    ///
    /// - Parameter isAsked: whether to try at once, even a file that was refused; otherwise each change is tried once, when it has settled.
    func reload(isAsked: Bool) -> ArchiveError? {
        if isAsked { state.withLock { if $0.description?.failure != nil { $0.described = nil } } }
        switch opening {
        case .open(let library)?:
            let now = library.stamps
            let isDue = state.withLock { state in
                guard isAsked else { return state.change?.isDue(now) ?? true }
                state.change?.take(now)
                return true
            }
            return isDue && library.openStamps != now ? library.reload().refused.first : nil
        case .failed?:
            let now = FileStatus(of: path)?.identity
            // It may have become whole.
            state.withLock { state in
                if case .opened(.failed) = state.stage, isAsked || state.failed?.identity != now {
                    state.stage = .closed
                }
            }
            return nil
        case nil: return nil
        }
    }
}

extension ArchiveError {
    /// Returns whether the same file may be readable later: the fault is the system's, or of another file such as the sequence record.
    ///
    /// - Parameter path: the archive.
    func isPassing(for path: FilePath) -> Bool {
        [.io, .locked, .changed].contains(code) || self.path.map { $0 != path.string } == true
    }
}
