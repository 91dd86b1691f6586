// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import SystemPackage
public import WebArchive

/// The archive files that are served, which may be replaced while they are.
///
/// Whoever answers a request takes the ``responder`` of that moment; an old one lives until the last of its requests is answered.
public final class ArchiveLibrary: Sendable {
    /// How archives are answered from.
    public struct Options: Sendable {
        public var matching = MatchOptions.serving
        /// Memory for answers and decoded bodies, in bytes.
        public var cacheCapacity = 128 << 20
        /// Threads that verify a file that has changed.
        public var threads = 1

        public init() {}
    }

    private struct Layer {
        let stamp: FileIdentity
        let reader: ArchiveReader
    }

    private struct State {
        var layers: [Layer]
        var responder: ReplayResponder
    }

    public let paths: [FilePath]
    private let options: Options
    private let state: Mutex<State>

    /// Opens the archives, the first layer first. They are not verified, so that it takes no longer for large ones.
    ///
    /// - Parameter standIns: files that are opened instead of others, until those change.
    /// - Throws: as opening an archive does; `notFound` if there is nothing in them.
    public init(
        _ paths: [FilePath], standIns: [FilePath: FilePath] = [:], options: Options = Options()
    ) throws(ArchiveError) {
        self.paths = paths
        self.options = options
        var layers: [Layer] = []
        for path in paths { layers.append(try Self.open(path, standIn: standIns[path])) }
        let responder = try Self.responder(layers, options)
        state = Mutex(State(layers: layers, responder: responder))
    }

    /// Answers from the files that were opened last.
    public var responder: ReplayResponder { state.withLock { $0.responder } }

    private static func open(_ path: FilePath, standIn: FilePath? = nil) throws(ArchiveError) -> Layer {
        // The stamp first: what changes in between is seen as a change.
        Layer(stamp: FileIdentity(of: path), reader: try ArchiveReader(path: standIn ?? path))
    }

    private static func responder(_ layers: [Layer], _ options: Options) throws(ArchiveError) -> ReplayResponder {
        ReplayResponder(
            try ReplaySite(layers.map(\.reader), options: options.matching), cacheCapacity: options.cacheCapacity)
    }

    /// What the files are now; differs from what it was after one of them was changed or replaced.
    var stamps: [FileIdentity] { paths.map(FileIdentity.init(of:)) }

    /// The files as they were when they were opened.
    var openStamps: [FileIdentity] { state.withLock { $0.layers.map(\.stamp) } }

    /// Opens the files that have changed, verifies them, and answers from them from now on. If one is damaged, nothing changes.
    ///
    /// - Returns: the files that changed.
    /// - Throws: as opening does; `damaged` with the first finding if an archive does not verify.
    @discardableResult
    public func reload() throws(ArchiveError) -> [FilePath] {
        let old = state.withLock { $0.layers }
        var layers: [Layer] = []
        var changed: [FilePath] = []
        for (path, layer) in zip(paths, old) {
            if FileIdentity(of: path) == layer.stamp {
                layers.append(layer)
                continue
            }
            let new = try Self.open(path)
            try new.reader.checkIntact(threads: options.threads)
            layers.append(new)
            changed.append(path)
        }
        guard !changed.isEmpty else { return [] }
        let responder = try Self.responder(layers, options)
        state.withLock { $0 = State(layers: layers, responder: responder) }
        return changed
    }
}

extension ArchiveReader {
    /// Verifies the archive in full.
    ///
    /// - Throws: `damaged` with the first finding that is an error.
    func checkIntact(threads: Int) throws(ArchiveError) {
        let findings = ArchiveVerifier(self, threads: threads).run()
        if let error = findings.first(where: { $0.severity == .error }) {
            throw ArchiveError(.damaged, error.message, path: name, offset: error.offset)
        }
    }
}
