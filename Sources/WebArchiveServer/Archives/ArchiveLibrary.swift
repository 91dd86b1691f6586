// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import SystemPackage
public import WebArchive
public import WebArchiveReplay

/// The served archive files, which may be replaced meanwhile.
///
/// Each request uses the ``responder`` that is current when it starts; an old responder lives until its last request has its response. A
/// file must be replaced by a different one (renamed to its name) or appended to, and not be overwritten: an open archive is read
/// on demand.
public final class ArchiveLibrary: Sendable {
    /// The options of a library of archives.
    public struct Options: Sendable {
        /// The rules of matching requests (specification section 8.5); ``ArchiveMatcher/Options/serving`` by default, as people
        /// read the served pages.
        public var matching = ArchiveMatcher.Options.serving
        /// The wanted time of requests that name none; see ``ReplaySite/time``. Nil, the default, for the newest captures.
        public var time: ArchiveTime?
        /// The memory for responses and decoded bodies, in bytes; 128 MiB by default. A catalogue divides it among its open sites.
        public var cacheCapacity = ReplayResponder.defaultCacheCapacity
        /// Whether a changed file is refused if the main page that it names is missing. False by default.
        public var requiresMainPage = false
        /// The keys that must have signed the archives; nil, the default, for any archive. With a sequence record, the sequence of
        /// an archive is recorded when the archive is taken.
        public var trust: ArchiveTrust?
        /// The number of threads that verify a changed file; 1 by default, so that serving continues meanwhile.
        public var threads = 1

        /// Creates the default options.
        ///
        /// A library copies them when it is created: later changes of the caller's copy have no effect.
        public init() {}
    }

    /// An open archive of the library, with the identity by which a later change of its file is recognized.
    private struct Layer {
        /// The identity of the file, read before the file was opened, so that a change during the opening counts as a
        /// later one. Nil if the file has no status, or after ``ArchiveLibrary/forgetStamps(except:)`` marked it as
        /// changed.
        let stamp: FileIdentity?
        /// The open archive, which keeps its file open even after another file took its name.
        let reader: ArchiveReader
    }

    /// The state that requests and reloads share: it is only replaced together, so that no responder lacks a file that
    /// counts as taken.
    private struct State {
        /// The open archives, in the order of ``ArchiveLibrary/paths``.
        var layers: [Layer]
        /// The responder for all layers. It takes its cache with it when it is replaced, so that a reload begins with
        /// an empty cache.
        var responder: ReplayResponder
    }

    /// The files, the first layer first: the first one with a response wins.
    public let paths: [FilePath]
    private let options: Options
    /// The lock is held for reading and exchanging references, and never while a file is read.
    private let state: Mutex<State>
    /// A mutex that is held while changed files are verified, so that one call at a time searches for them.
    private let reloading = Mutex(())

    /// Opens the archives, the first layer first. They are not verified, so that large ones take no longer.
    ///
    /// - Parameters:
    ///   - paths: the files, at least one.
    ///   - standIns: the files that are opened instead of others, until those change; none by default.
    ///   - options: the default options by default.
    /// - Throws: as opening an archive does: `notAnArchive`, `unsupportedVersion`, `unsupportedFeature`, `truncated`, `damaged` or `io`;
    ///   `notFound` if they are empty.
    public init(
        _ paths: [FilePath], standIns: [FilePath: FilePath] = [:], options: Options = Options()
    ) throws(ArchiveError) {
        self.paths = paths
        self.options = options
        var layers: [Layer] = []
        for path in paths {
            let layer = try Self.open(path, standIn: standIns[path], options.trust)
            if standIns[path] == nil { try layer.reader.recordSequence() }
            layers.append(layer)
        }
        let responder = try Self.responder(layers, options)
        state = Mutex(State(layers: layers, responder: responder))
    }

    /// The responder for the files that were opened last. A mutex is held for copying a reference.
    public var responder: ReplayResponder { state.withLock { $0.responder } }

    /// Opens one file, without verifying its data.
    ///
    /// A stand-in is opened without the rules of sequences, since it may be older than the recorded one. Any other file
    /// is checked against the recorded sequence, which the caller records once the archive is taken.
    ///
    /// - Throws: errors of opening an archive, and of its signatures if there is a ``ArchiveLibrary/Options/trust``.
    private static func open(
        _ path: FilePath, standIn: FilePath? = nil, _ trust: ArchiveTrust?
    ) throws(ArchiveError) -> Layer {
        // A stand-in is an earlier copy, and perhaps the only one left.
        let trust = standIn == nil ? trust?.withoutRecording : trust?.withoutSequences
        // The stamp first: later changes are detected.
        return Layer(
            stamp: FileStatus(of: path)?.identity, reader: try ArchiveReader(path: standIn ?? path, trust: trust))
    }

    /// Returns a responder for open archives, with a new and empty cache.
    ///
    /// - Throws: `notFound` if the archives have no entries, and errors of reading their indexes.
    private static func responder(_ layers: [Layer], _ options: Options) throws(ArchiveError) -> ReplayResponder {
        ReplayResponder(
            try ReplaySite(layers.map(\.reader), options: options.matching, time: options.time),
            cacheCapacity: options.cacheCapacity,
            prepare: PreparedHeaders.init)
    }

    /// The identities of the files now; they differ after one of them was changed or replaced.
    ///
    /// Each use costs one `stat` for each file. Nil stands for a file whose status cannot be read.
    var stamps: [FileIdentity?] { paths.map { FileStatus(of: $0)?.identity } }

    /// The identities of the files when they were opened.
    ///
    /// In the order of ``paths``, to be compared with ``stamps`` as a whole.
    var openStamps: [FileIdentity?] { state.withLock { $0.layers.map(\.stamp) } }

    /// Returns the identities of some files when they were opened.
    ///
    /// - Parameter paths: the paths to search for. Nil is the value of a path that is not one of the library.
    package func openStamps(of paths: [FilePath]) -> [FilePath: FileIdentity?] {
        let stamps = Dictionary(zip(self.paths, openStamps)) { first, _ in first }
        return Dictionary(paths.map { ($0, stamps[$0] ?? nil) }) { first, _ in first }
    }

    /// Marks files other than the verified ones as changed. Nil: none was verified, and all stay.
    ///
    /// The archives stay open and served; the next ``reload()`` opens and verifies these files.
    ///
    /// - Parameter verified: the identities that were verified. Paths that are missing in it keep their stamps.
    package func forgetStamps(except verified: [FilePath: FileIdentity]?) {
        guard let verified else { return }
        state.withLock { state in
            for (number, path) in paths.enumerated() where verified[path] != nil {
                guard state.layers[number].stamp != verified[path] else { continue }
                state.layers[number] = Layer(stamp: nil, reader: state.layers[number].reader)
            }
        }
    }

    /// The result of a search for changed files; both lists are empty if none has changed.
    public struct Reload: Sendable {
        /// The files that were opened again: later requests get responses from them.
        public var taken: [FilePath] = []
        /// The reasons why other files are not served: errors of opening, `damaged` with the first finding of an archive that does not verify,
        /// or `notFound` without its main page.
        public var refused: [ArchiveError] = []
    }

    /// Opens changed files, verifies them, and serves them from now on. If one is refused, the old one
    /// continues.
    ///
    /// It reads each changed file as a whole, and blocks for that time. A refused file is tried again each time. Calls
    /// from several threads are made one after another. ``ArchiveWatch`` calls it for a library that it watches.
    ///
    /// - Returns: the accepted and refused files.
    @discardableResult
    public func reload() -> Reload { reloading.withLock { _ in takeChanges() } }

    /// Opens and verifies the changed files. Only a caller that holds `reloading` may call it.
    ///
    /// The lock of the state is held only for reading the layers and for exchanging them, so that requests never wait
    /// for a verification.
    private func takeChanges() -> Reload {
        var (layers, taken, reload) = (state.withLock { $0.layers }, [Int](), Reload())
        for (number, path) in paths.enumerated() where FileStatus(of: path)?.identity != layers[number].stamp {
            do throws(ArchiveError) {
                let new = try Self.open(path, options.trust)
                try new.reader.checkIntact(threads: options.threads)
                if options.requiresMainPage { try new.reader.checkNamedMainPage() }
                try new.reader.recordSequence()
                layers[number] = new
                taken.append(number)
                reload.taken.append(path)
            } catch {
                reload.refused.append(error)
            }
        }
        guard !reload.taken.isEmpty else { return reload }
        do throws(ArchiveError) {
            let responder = try Self.responder(layers, options)
            state.withLock { state in
                // Stamps of the others may have been forgotten meanwhile.
                for number in taken { state.layers[number] = layers[number] }
                state.responder = responder
            }
        } catch {
            reload = Reload(refused: reload.refused + [error])
        }
        return reload
    }
}
