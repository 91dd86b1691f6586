// SPDX-License-Identifier: Apache-2.0

public import SystemPackage
public import WebArchive

/// An updater that brings an archive to the newest edition of a release folder, by the way that loads least.
///
/// The files that are loaded lie beside the archive until they are whole, and a later run goes on where one was cut off. The new edition is proved, with its
/// signature, before it gets the name; the edition before is kept under the name with `.previous` behind it.
///
/// ```swift
/// let updater = ArchiveUpdater("notes.webarc", from: FolderUpdateSource("/media/stick/notes"), trust: ArchiveTrust([key]))
/// print(try updater.run())
/// ```
public struct ArchiveUpdater: Sendable {
    /// The result of a run.
    public enum Outcome: Sendable, Equatable {
        /// The archive is the newest edition, which has this number. Nothing but the list was loaded.
        case current(sequence: UInt64)
        /// The archive became another edition: from a number, nil if there was no archive, none that the keys signed, or a damaged one, to a number;
        /// by so many patches, 0 for the whole archive; with the bytes of these that this run loaded.
        ///
        /// ``ArchiveUpdater/goBack(_:trust:)`` loads nothing, and has neither patches nor bytes.
        case updated(from: UInt64?, to: UInt64, patches: Int, loaded: UInt64)
    }

    /// The archive, which need not be there yet.
    public let archive: FilePath
    /// The release folder.
    public let source: any UpdateSource
    /// The keys that must have signed the list and the archives. Its record, if there is one, keeps the keys that a list revoked, and the number below which
    /// editions are refused.
    public let trust: ArchiveTrust
    /// The number of threads, at least 1.
    public var threads = 1
    /// The time by which a list is outdated, in seconds since 1970; nil to take outdated ones as well.
    public var time: Int64?

    /// Creates an updater. Reads nothing yet.
    ///
    /// - Parameters:
    ///   - archive: the path of the archive.
    ///   - source: the release folder.
    ///   - trust: the keys.
    public init(_ archive: FilePath, from source: any UpdateSource, trust: ArchiveTrust) {
        (self.archive, self.source, self.trust) = (archive, source, trust)
        time = ArchiveTime.now().nanoseconds / 1_000_000_000
    }

    /// Loads and installs the newest edition, if it is newer than the one that is there.
    ///
    /// Blocks its thread while the source sends. Costs a reading of the new edition beside the load, and room on the disk for two more archives.
    ///
    /// - Parameter progress: called now and then with the bytes that came, from any thread.
    /// - Throws: `untrusted` if keys that are not revoked did not sign the list or the archive, for an older list, and for an outdated one; `invalidArgument` for
    ///   another series; `damaged` for a list or a file that is not what it should be; `notFound`, `limitExceeded`, `truncated`, `locked`, `io`.
    ///   The archive stays as it was.
    public func run(progress: (@Sendable (WorkProgress) -> Void)? = nil) throws(ArchiveError) -> Outcome {
        try PartName.refuse(archive)
        let list = try SignedManifest(
            decoding: source.bytes(of: UpdateManifest.fileName, atMost: UpdateManifest.maximumLength), name: source.name
        )
        let (trust, installed) = try revoking(list)
        let manifest = try list.manifest(trust: trust, name: source.name)
        guard let newest = manifest.newest else { throw .damaged("a list without editions") }
        try check(manifest, newest, installed)
        if let installed, installed.isTrusted,
            (installed.statement.sequence, installed.identity) == (newest.sequence, newest.identity)
        {
            // A run may have ended between the new name and its own end.
            DownloadFolder(leftBeside: archive)?.remove()
            return .current(sequence: newest.sequence)
        }
        let former = installed?.statement.sequence
        let folder = try DownloadFolder(beside: archive)
        let way = UpdatePath(from: installed?.identity, in: manifest) { folder.length(of: $0) }
        let meter = ProgressCounter(total: way.length, progress: progress)
        defer { meter.finish() }
        if !way.patches.isEmpty {
            do throws(ArchiveError) {
                let loaded = try install(way.patches, newest, trust, folder, meter)
                folder.remove()
                return .updated(from: former, to: newest.sequence, patches: way.patches.count, loaded: loaded)
            } catch {
                // The whole archive helps against any fault of a patch; not so where the network, the disk or another writer fails.
                guard ![.io, .locked].contains(error.code) else { throw error }
            }
        }
        let loaded = try folder.load(newest.file, from: source, meter)
        try install(folder.path(of: newest.file), newest, trust)
        folder.remove()
        return .updated(from: former, to: newest.sequence, patches: 0, loaded: loaded)
    }

    /// Puts the edition before in the place of an archive, and the archive in its place.
    ///
    /// - Parameters:
    ///   - archive: the path of the archive.
    ///   - trust: the keys that must have signed the edition before.
    /// - Throws: `notFound` without an edition before; `untrusted` if the keys did not sign it; `locked`, `io`.
    public static func goBack(_ archive: FilePath, trust: ArchiveTrust) throws(ArchiveError) -> Outcome {
        try PartName.refuse(archive)
        let trust = try trust.withRecordedRevocations()
        let place = InstalledArchive(path: archive)
        guard FileStatus(of: place.previous) != nil else {
            throw ArchiveError(.notFound, "there is no edition before", path: place.previous.string)
        }
        guard let before = try InstalledEdition(place.previous, trust), before.isTrusted else {
            throw ArchiveError(.untrusted, "the edition before is not one of the keys'", path: place.previous.string)
        }
        let installed = try InstalledEdition(archive, trust)
        try place.goBack()
        return .updated(
            from: installed?.statement.sequence, to: before.statement.sequence, patches: 0, loaded: 0)
    }

    /// Takes the revocations of a list, for this run and for those to come.
    private func revoking(
        _ list: SignedManifest
    ) throws(ArchiveError) -> (trust: ArchiveTrust, installed: InstalledEdition?) {
        let revoked = try list.revokedKeys(trust)
        var trust = try trust.withRecordedRevocations()
        let isNew = !revoked.isSubset(of: trust.revokedKeys)
        trust.revokedKeys.formUnion(revoked)
        let installed = try InstalledEdition(archive, trust)
        if isNew {
            // The screen does not go dark: the edition that is there is the last word of its key.
            let spared = installed.flatMap { $0.isTrusted ? nil : $0.statement }
            try trust.sequences?.revoke(revoked, sparing: spared)
        }
        return (trust, installed)
    }

    private func check(
        _ manifest: UpdateManifest, _ newest: UpdateManifest.Edition, _ installed: InstalledEdition?
    ) throws(ArchiveError) {
        if let installed {
            let statement = installed.statement
            guard statement.series == manifest.series else {
                throw ArchiveError(
                    .invalidArgument,
                    "the archive is an edition of \(statement.series), and these are editions of \(manifest.series)",
                    path: source.name)
            }
            guard newest.sequence >= statement.sequence || !installed.isTrusted else {
                throw ArchiveError(
                    .untrusted,
                    "the list is older than the archive: edition \(newest.sequence) after edition \(statement.sequence)",
                    path: source.name)
            }
        }
        if let time, let expires = manifest.expires, time >= expires {
            // The distance of two numbers of 64 bits with a sign has 64 bits without one.
            let seconds = UInt64(bitPattern: time &- expires)
            throw ArchiveError(
                .untrusted, "the list is outdated since \(seconds) seconds: the host may hold newer ones back",
                path: source.name)
        }
    }

    // MARK: - Installing

    private func install(
        _ patches: [UpdateManifest.Patch], _ newest: UpdateManifest.Edition, _ trust: ArchiveTrust,
        _ folder: DownloadFolder, _ meter: ProgressCounter
    ) throws(ArchiveError) -> UInt64 {
        var loaded: UInt64 = 0
        for patch in patches { loaded += try folder.load(patch.file, from: source, meter) }
        var base = archive
        for (number, patch) in patches.enumerated() {
            let header = try PatchHeader(of: FileByteSource(path: folder.path(of: patch.file)))
            guard header.newDigest.hexadecimalDigits == patch.sha256 else {
                throw ArchiveError(.damaged, "a patch that gives another archive than the list says", path: source.name)
            }
            let step = folder.path.appending("step-\(number).webarc")
            var patcher = ArchivePatcher(from: base, patch: folder.path(of: patch.file))
            patcher.threads = threads
            // The signed list names the patch and the archive that it gives.
            patcher.maximumLength = .max
            try patcher.run(into: step)
            // A long way takes no more room than a short one.
            if number > 0 { folder.discard(base) }
            base = step
        }
        try install(base, newest, trust)
        return loaded
    }

    /// Proves an archive and gives it the name.
    private func install(
        _ candidate: FilePath, _ newest: UpdateManifest.Edition, _ trust: ArchiveTrust
    ) throws(ArchiveError) {
        let reader = try ArchiveReader(path: candidate, trust: trust.withoutRecording)
        let stored = StoredArchive(reader)
        guard reader.untrustedCommitCount == 0, reader.statement?.sequence == newest.sequence,
            try PatchHeader.identity(of: stored).hexadecimalDigits == newest.identity
        else {
            throw ArchiveError(.untrusted, "an archive that is not the edition of the list", path: self.source.name)
        }
        guard try SignedParts(reader).areRight(threads: threads) else {
            throw ArchiveError(.untrusted, "an archive that is not what was signed", path: self.source.name)
        }
        try InstalledArchive(path: archive).replace(with: candidate)
    }
}
