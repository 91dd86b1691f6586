// SPDX-License-Identifier: Apache-2.0

public import SystemPackage
public import WebArchive
import WebArchivePresentation

/// An updater that brings an archive to the newest edition of a release folder, with the fewest loaded bytes.
///
/// The files that are loaded are beside the archive until they are whole, and a later run continues where one was cut off. The new edition is
/// proved, with its signature, before it gets the name; the edition before is kept under the name with `.previous` after it.
///
/// ```swift
/// let updater = ArchiveUpdater("notes.webarc", from: FolderUpdateSource("/media/stick/notes"), trust: ArchiveTrust([key]))
/// print(try updater.run())
/// ```
public struct ArchiveUpdater: Sendable {
    /// The result of a run.
    public enum Outcome: Sendable, Equatable {
        /// The archive is the newest edition, with this number. Only the list was loaded.
        case current(sequence: UInt64)
        /// The archive was updated: from a number, nil if there was no archive, none that the keys signed, or a damaged one, to a number;
        /// by a number of patches, 0 for the whole archive; with the number of bytes that this run loaded.
        ///
        /// ``ArchiveUpdater/rollBack(_:trust:)`` loads nothing, and has neither patches nor bytes.
        case updated(from: UInt64?, to: UInt64, patches: Int, loaded: UInt64)
        /// The archive stays, because the newest edition was rolled back.
        case rejected(newest: UInt64, stays: UInt64)
    }

    /// The archive, which need not exist yet.
    public let archive: FilePath
    /// The release folder.
    public let source: any UpdateSource
    /// The keys that must have signed the list and the archives. The sequence record, if there is one, keeps the keys that a list revoked,
    /// and the number below which editions are refused: it is raised to each edition that is installed.
    public let trust: ArchiveTrust
    /// The number of threads, at least 1.
    public var threads = 1
    /// The time for the expiry of a list, in seconds since 1970; nil to accept expired ones as well.
    public var time: Int64?
    /// Whether an archive that is already the newest edition is read and proved, and loaded again if it is damaged; false by default.
    public var verifiesNewest = false
    /// A function that is called with the reason when the whole archive is loaded because patches failed.
    public var onPatchFailure: (@Sendable (ArchiveError) -> Void)?

    /// Creates an updater. It reads nothing yet.
    ///
    /// - Parameters:
    ///   - archive: the path of the archive.
    ///   - source: the release folder.
    ///   - trust: the keys.
    public init(_ archive: FilePath, from source: any UpdateSource, trust: ArchiveTrust) {
        (self.archive, self.source, self.trust) = (archive, source, trust)
        time = ArchiveTime.now().nanoseconds / 1_000_000_000
    }

    /// Loads and installs the newest edition, if it is newer than the present one.
    ///
    /// Blocks its thread while the source sends. Costs a reading of the new edition beside the load, and room on the disk for two more archives.
    ///
    /// The record is raised after the archive has its name. A run that ends between the two leaves a record that is too low until the next run or the
    /// next opening; a record that is too high would have all readers refuse the archive that exists.
    ///
    /// - Parameter progress: a function that is called periodically with the received bytes, from any thread.
    /// - Throws: `untrusted` if unrevoked keys did not sign the list or the archive, for an older list, and for an expired one; `invalidArgument` for
    ///   a different series; `damaged` for a damaged list or file; `alreadyExists` for a file that is not an archive; `locked` while another run
    ///   updates the archive; `notFound`, `limitExceeded`, `truncated`, `io`. The archive does not change.
    public func run(progress: (@Sendable (WorkProgress) -> Void)? = nil) throws(ArchiveError) -> Outcome {
        try PartName.refuse(archive)
        // Nothing is loaded that cannot be recorded.
        try trust.sequences?.checkAccess()
        let list = try SignedManifest(
            decoding: source.bytes(of: UpdateManifest.fileName, atMost: UpdateManifest.maximumLength), name: source.name
        )
        let (trust, installed) = try revoking(list)
        let manifest = try list.manifest(trust: trust, name: source.name)
        guard let newest = manifest.newest else { throw .damaged("the list of updates has no editions") }
        try check(manifest, newest, installed)
        return try UpdateRun(updater: self, manifest: manifest, newest: newest, trust: trust)
            .outcome(from: installed, progress: progress)
    }

    /// Rolls an archive back: exchanges the archive and the previous edition.
    ///
    /// ``run(progress:)`` does not install the higher edition again if it was rolled back, as long as the archive exists: this is
    /// recorded beside the archive. A second call undoes the first. The records are lowered, or raised, to the installed edition.
    /// Both happens before the archives are exchanged. A run that ends in between leaves the archive where it was, and can be repeated; had the
    /// archive been exchanged first, readers would refuse it by their records.
    ///
    /// - Parameters:
    ///   - archive: the path of the archive.
    ///   - trust: the keys that must have signed the edition before. Its record is changed.
    ///   - threads: the number of threads that verify the edition before.
    ///   - otherRecords: the records of other programs that show the archive; none by default.
    /// - Throws: `notFound` without an edition before; `untrusted` if the keys did not sign it, or were revoked; `damaged`; `locked`, `io`.
    public static func rollBack(
        _ archive: FilePath, trust: ArchiveTrust, threads: Int = 1, otherRecords: [SequenceRecord] = []
    ) throws(ArchiveError) -> Outcome {
        try PartName.refuse(archive)
        let trust = try trust.withRecordedRevocations()
        let place = InstalledArchive(path: archive, trust: trust, threads: threads)
        guard FileStatus(of: place.previous) != nil else {
            throw ArchiveError(.notFound, "no previous edition", path: place.previous.string)
        }
        // Files beside the archive are those of the folder that it is in now.
        let rejected = try RejectedEdition.place(beside: archive)
        let previous = try FilePlace(following: place.previous).opened()
        guard let before = try InstalledEdition(previous, trust) else {
            throw ArchiveError(
                .untrusted, "the previous edition is damaged or not signed by the trusted keys",
                path: place.previous.string)
        }
        guard before.isTrusted else {
            throw ArchiveError(
                .untrusted, "the key that signed the previous edition is revoked", path: place.previous.string)
        }
        let installed = try InstalledEdition(archive, trust)
        let isRejected = installed.map { $0.statement.sequence > before.statement.sequence } ?? false
        try place.rollBack(to: previous) { copy throws(ArchiveError) in
            // Another run may have rolled it back before the archive was locked.
            guard FileStatus(of: place.previous)?.number == previous.fileNumber else {
                throw ArchiveError(.changed, "another run changed the archive; try again", path: archive.string)
            }
            guard try InstalledEdition(copy, trust)?.identity == before.identity, place.isWhole(copy) else {
                throw ArchiveError(
                    .damaged, "the previous edition is damaged; the archive is unchanged", path: place.previous.string)
            }
            if isRejected, let installed { try RejectedEdition(installed.statement).write(to: rejected) }
            for record in [trust.sequences].compactMap(\.self) + otherRecords {
                try record.replace(by: before.statement)
            }
        }
        if !isRejected, installed != nil { rejected.remove() }
        return .updated(
            from: installed?.statement.sequence, to: before.statement.sequence, patches: 0, loaded: 0)
    }

    /// The archive with the previous edition.
    var place: InstalledArchive { InstalledArchive(path: archive, trust: trust, threads: threads) }

    // MARK: - Checking the list

    /// Applies the revocations of a list, for this run and for later ones.
    private func revoking(
        _ list: SignedManifest
    ) throws(ArchiveError) -> (trust: ArchiveTrust, installed: InstalledEdition?) {
        let revoked = try list.revokedKeys(trust)
        var trust = try trust.withRecordedRevocations()
        let isNew = !revoked.isSubset(of: trust.revokedKeys)
        trust.revokedKeys.formUnion(revoked)
        let installed = try InstalledEdition(archive, trust)
        if isNew {
            // The screen does not go dark: the edition that exists is the last word of its key.
            let spared = installed.flatMap { $0.isTrusted ? nil : $0.statement }
            try trust.sequences?.revoke(revoked, sparing: spared)
        }
        return (trust, installed)
    }

    /// Checks a list whose signatures are right against the archive, the sequence record and the time (updates specification section 3).
    ///
    /// - Throws: `invalidArgument` for a different series; `untrusted` for a list that is older than the archive or the record, or has
    ///   expired.
    private func check(
        _ manifest: UpdateManifest, _ newest: UpdateManifest.Edition, _ installed: InstalledEdition?
    ) throws(ArchiveError) {
        if let installed {
            let statement = installed.statement
            guard statement.series == manifest.series else {
                throw ArchiveError(
                    .invalidArgument,
                    "the archive is an edition of \(statement.series), but the list has editions of \(manifest.series)",
                    path: source.name)
            }
            guard newest.sequence >= statement.sequence || !installed.isTrusted else {
                throw ArchiveError(
                    .untrusted,
                    "the list is older than the archive: it ends at edition \(newest.sequence), and the archive is edition \(statement.sequence)",
                    path: source.name)
            }
        }
        if let seen = try trust.sequences?.sequences()[manifest.series], newest.sequence < seen {
            throw ArchiveError(
                .untrusted,
                "the list is older than the recorded edition \(seen) of \(manifest.series): it ends at edition \(newest.sequence)",
                path: source.name)
        }
        if let time, let expires = manifest.expires, time >= expires {
            throw ArchiveError(
                .untrusted,
                "the list expired at \(Self.text(expires)), and this clock shows \(Self.text(time)); the host may be withholding a newer list",
                path: source.name, recovery: .acceptExpired)
        }
    }

    /// Returns a time in seconds since 1970 as text for people.
    private static func text(_ seconds: Int64) -> String {
        ArchiveTime(seconds: seconds).map(Timestamp.text) ?? "second \(seconds)"
    }
}
