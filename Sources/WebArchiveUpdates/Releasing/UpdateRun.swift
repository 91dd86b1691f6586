// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// A run of an updater with a list of updates whose signatures and age were checked.
struct UpdateRun {
    let updater: ArchiveUpdater
    let manifest: UpdateManifest
    /// The edition that the archive is to become.
    let newest: UpdateManifest.Edition
    /// The updater's keys, without those that this list or an earlier one revoked.
    let trust: ArchiveTrust

    /// The decision about the present edition.
    private enum Decision {
        /// The archive stays as it is.
        case done(ArchiveUpdater.Outcome)
        /// Load the newest edition; the present one, which patches may be for, or nil for none.
        case load(InstalledEdition?)
    }

    private var archive: FilePath { updater.archive }
    private var source: any UpdateSource { updater.source }

    /// Brings the archive to the newest edition, if it is another one.
    ///
    /// - Parameter installed: the present edition; nil for none.
    /// - Throws: as ``ArchiveUpdater/run(progress:)``.
    func outcome(
        from installed: InstalledEdition?, progress: (@Sendable (WorkProgress) -> Void)?
    ) throws(ArchiveError) -> ArchiveUpdater.Outcome {
        if case .done(let outcome) = try decide(installed) { return outcome }
        if installed == nil, FileStatus(of: archive) != nil { try updater.place.checkReplaceable() }
        let folder = try DownloadFolder(beside: archive)
        // Another run may have updated the archive before the folder was locked.
        switch try decide(InstalledEdition(archive, trust)) {
        case .done(let outcome):
            folder.remove()
            return outcome
        case .load(let base):
            let (patchCount, loaded) = try load(from: base, folder, progress)
            folder.remove()
            return .updated(
                from: installed?.statement.sequence, to: newest.sequence, patches: patchCount, loaded: loaded)
        }
    }

    // MARK: - Deciding

    /// Decides whether the newest edition is loaded. With ``ArchiveUpdater/verifiesNewest`` it costs a reading of the archive.
    ///
    /// - Throws: `untrusted` if an edition that was rolled back has to stay, but its sequence record has a higher edition of the series.
    private func decide(_ installed: InstalledEdition?) throws(ArchiveError) -> Decision {
        guard let installed, installed.isTrusted else { return .load(installed) }
        let sequence = installed.statement.sequence
        if (sequence, installed.identity) == (newest.sequence, newest.identity) {
            if updater.verifiesNewest, !updater.place.isWhole(archive) { return .load(nil) }
            // A run may have ended between the new name and its own end.
            if trust.sequences != nil {
                try ArchiveReader(path: archive, trust: trust.withoutRecording).recordSequence()
            }
            DownloadFolder(leftBeside: archive)?.remove()
            return .done(.current(sequence: newest.sequence))
        }
        if let rejected = RejectedEdition(beside: archive), rejected.series == manifest.series,
            newest.sequence <= rejected.sequence
        {
            if let record = trust.sequences, let seen = try record.sequences()[manifest.series], seen > sequence {
                throw ArchiveError(
                    .untrusted,
                    "edition \(sequence) of \(manifest.series) stays, and the record \(record.path) has edition \(seen) of another archive, so that readers refuse this one; keep a record for each archive",
                    path: archive.string)
            }
            return .done(.rejected(newest: newest.sequence, stays: sequence))
        }
        return .load(installed)
    }

    // MARK: - Loading

    /// Loads and installs the newest edition, with patches if that is shorter and they work.
    ///
    /// - Returns: the number of patches, 0 for the whole archive, and the number of received bytes.
    private func load(
        from base: InstalledEdition?, _ folder: DownloadFolder, _ progress: (@Sendable (WorkProgress) -> Void)?
    ) throws(ArchiveError) -> (patchCount: Int, loaded: UInt64) {
        let way = UpdatePath(from: base?.identity, in: manifest) { folder.length(of: $0) }
        let meter = ProgressCounter(total: way.length, progress: progress)
        defer { meter.finish() }
        if !way.patches.isEmpty {
            do throws(ArchiveError) {
                return (way.patches.count, try apply(way.patches, in: folder, meter))
            } catch {
                // Loading the whole archive helps against any fault of a patch, but not if the network, the disk or another writer fails.
                guard ![.io, .locked].contains(error.code) else { throw error }
                updater.onPatchFailure?(error)
            }
        }
        let loaded = try folder.load(newest.file, from: source, meter)
        try install(folder.source(of: newest.file))
        return (0, loaded)
    }

    /// Loads patches, applies them in turn, and installs the last result.
    ///
    /// - Returns: the number of received bytes.
    private func apply(
        _ patches: [UpdateManifest.Patch], in folder: DownloadFolder, _ meter: ProgressCounter
    ) throws(ArchiveError) -> UInt64 {
        var loaded: UInt64 = 0
        for patch in patches { loaded += try folder.load(patch.file, from: source, meter) }
        var base = try ArchiveFile.open(archive)
        // Also after an error: their room may be needed, by the whole archive for example.
        defer { for number in patches.indices { folder.discardStep(number) } }
        for (number, patch) in patches.enumerated() {
            let loaded = try folder.source(of: patch.file)
            let header = try PatchHeader(of: loaded)
            guard header.newDigest.hexadecimalDigits == patch.sha256 else {
                throw ArchiveError(.damaged, "the patch does not produce the listed archive", path: source.name)
            }
            var patcher = ArchivePatcher(from: FilePath(base.name), patch: FilePath(loaded.name))
            patcher.threads = updater.threads
            // The signed list names the patch and the archive that it produces.
            patcher.maximumLength = .max
            base = try folder.makeStep(number) { file, path throws(ArchiveError) in
                try patcher.make(
                    from: base, loaded, header,
                    into: PatchedFile(file, path: path, name: path, limit: header.newLength))
            }
            // A long way takes no more room than a short one.
            if number > 0 { folder.discardStep(number - 1) }
        }
        try install(base)
        return loaded
    }

    /// Proves an archive and gives it the name.
    ///
    /// Only a file that is the listed edition is copied, since the copy may be read by more users, and the copy itself is proved.
    private func install(_ file: any ByteSource) throws(ArchiveError) {
        let reader = try listedEdition(file)
        try updater.place.replace(with: file) { copy throws(ArchiveError) in
            guard try SignedParts(listedEdition(copy)).verify(threads: updater.threads) else {
                throw ArchiveError(.untrusted, "the archive does not match its signature", path: source.name)
            }
        }
        try reader.recordSequence()
    }

    /// Opens an archive by what its keys signed.
    ///
    /// - Throws: `untrusted` if it is not the edition of the list.
    private func listedEdition(_ archive: any ByteSource) throws(ArchiveError) -> ArchiveReader {
        let reader = try ArchiveReader(source: archive, trust: trust.withoutRecording)
        guard reader.untrustedCommitCount == 0, reader.statement?.sequence == newest.sequence,
            try PatchHeader.identity(of: StoredArchive(reader)).hexadecimalDigits == newest.identity
        else {
            throw ArchiveError(.untrusted, "the archive is not the listed edition", path: source.name)
        }
        return reader
    }
}
