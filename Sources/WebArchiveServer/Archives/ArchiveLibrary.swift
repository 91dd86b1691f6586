// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import SystemPackage
public import WebArchive
public import WebArchiveReplay

/// The archive files that are served, which may be replaced while they are.
///
/// Each request uses the ``responder`` that is current when it starts; an old responder lives until its last request has its response. A
/// file must be replaced by another one (renamed to its name) or appended to, and not be written over: an open archive is read as it is
/// asked for.
public final class ArchiveLibrary: Sendable {
    /// The options of a library of archives.
    public struct Options: Sendable {
        /// The rules by which requests are matched (specification section 8.5); ``ArchiveMatcher/Options/serving`` by default, as people
        /// look at what is served.
        public var matching = ArchiveMatcher.Options.serving
        /// Memory for responses and decoded bodies, in bytes; 128 MiB by default. A catalogue divides it among its open sites.
        public var cacheCapacity = ReplayResponder.defaultCacheCapacity
        /// Whether a changed file is refused if the main page that it names is missing. False by default.
        public var requiresMainPage = false
        /// The keys that must have signed the archives; nil, the default, for any archive. With a record of sequences, the sequence of
        /// an archive is recorded when the archive is taken.
        public var trust: ArchiveTrust?
        /// Threads that verify a file that has changed; 1 by default, so that serving continues beside it.
        public var threads = 1

        /// Creates the default options.
        public init() {}
    }

    private struct Layer {
        let stamp: FileIdentity?
        let reader: ArchiveReader
    }

    private struct State {
        var layers: [Layer]
        var responder: ReplayResponder
    }

    /// The files, the first layer first: the first one with a response wins.
    public let paths: [FilePath]
    private let options: Options
    private let state: Mutex<State>
    /// Held while changed files are verified, so that one call at a time looks for them.
    private let reloading = Mutex(())

    /// Opens the archives, the first layer first. They are not verified, so that it takes no longer for large ones.
    ///
    /// - Parameters:
    ///   - paths: the files, at least one.
    ///   - standIns: files that are opened instead of others, until those change; none by default.
    ///   - options: the default options by default.
    /// - Throws: as opening an archive does: `notAnArchive`, `unsupportedVersion`, `unsupportedFeature`, `truncated`, `damaged` or `io`;
    ///   `notFound` if there is nothing in them.
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

    /// The responder for the files that were opened last. A mutex is held for as long as it takes to copy a reference.
    public var responder: ReplayResponder { state.withLock { $0.responder } }

    private static func open(
        _ path: FilePath, standIn: FilePath? = nil, _ trust: ArchiveTrust?
    ) throws(ArchiveError) -> Layer {
        // A stand-in is a copy that was taken before, and perhaps all that is left.
        let trust = standIn == nil ? trust?.withoutRecording : trust?.withoutSequences
        // The stamp first: what changes in between is seen as a change.
        return Layer(
            stamp: FileStatus(of: path)?.identity, reader: try ArchiveReader(path: standIn ?? path, trust: trust))
    }

    private static func responder(_ layers: [Layer], _ options: Options) throws(ArchiveError) -> ReplayResponder {
        ReplayResponder(
            try ReplaySite(layers.map(\.reader), options: options.matching), cacheCapacity: options.cacheCapacity,
            prepare: PreparedHeaders.init)
    }

    /// The identities of the files now; they differ from before after one of them was changed or replaced.
    var stamps: [FileIdentity?] { paths.map { FileStatus(of: $0)?.identity } }

    /// The files as they were when they were opened.
    var openStamps: [FileIdentity?] { state.withLock { $0.layers.map(\.stamp) } }

    /// Returns the identities of some files as they were when they were opened.
    package func openStamps(of paths: [FilePath]) -> [FilePath: FileIdentity?] {
        let stamps = Dictionary(zip(self.paths, openStamps)) { first, _ in first }
        return Dictionary(paths.map { ($0, stamps[$0] ?? nil) }) { first, _ in first }
    }

    /// Has files that are not those that were verified looked at as if they had changed since. Nil: none was verified, and all stay.
    package func forgetStamps(except verified: [FilePath: FileIdentity]?) {
        guard let verified else { return }
        state.withLock { state in
            for (number, path) in paths.enumerated() where verified[path] != nil {
                guard state.layers[number].stamp != verified[path] else { continue }
                state.layers[number] = Layer(stamp: nil, reader: state.layers[number].reader)
            }
        }
    }

    /// The result of looking for changed files; both lists are empty if none has changed.
    public struct Reload: Sendable {
        /// The files that were opened again: requests that start from now on get responses from them.
        public var taken: [FilePath] = []
        /// Reasons why other files are not taken: as opening throws, `damaged` with the first finding of an archive that does not verify,
        /// or `notFound` without its main page.
        public var refused: [ArchiveError] = []
    }

    /// Opens the files that have changed, verifies them, and answers from them from now on. In place of one that is refused, the old one
    /// continues.
    ///
    /// Reads each changed file as a whole, and blocks for as long as that takes. A refused file is tried again each time. Calls
    /// from several threads are made one after another. ``ArchiveWatch`` calls it for a library that it watches.
    ///
    /// - Returns: what this call took and refused.
    @discardableResult
    public func reload() -> Reload { reloading.withLock { _ in takeChanges() } }

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
