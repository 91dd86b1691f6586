// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// An archive that is updated, with the previous edition beside it.
struct InstalledArchive {
    /// The path of the archive.
    let path: FilePath
    /// The keys whose signature proves that an archive is whole; revoked ones count as well.
    let trust: ArchiveTrust
    /// The number of threads, at least 1.
    let threads: Int

    /// The path of the previous edition.
    var previous: FilePath { FilePath(path.string + ".previous") }

    /// A function that proves a copy before it gets the archive's name. The copy is this user's own, so that no other can change it.
    typealias Proof = (any ByteSource) throws(ArchiveError) -> Void

    /// Replaces the archive with a copy of an open file, and keeps the archive as the previous edition.
    ///
    /// A damaged archive does not replace a previous edition. It may be damaged in its first bytes, or be empty after a
    /// power failure: a file counts as an archive by its own name, not by that of a link to it. If there is a previous edition, that costs a reading of the archive.
    ///
    /// - Throws: the errors of `proof`; `alreadyExists` for a file of another name that is not an archive; `locked`, `changed`, `io`.
    func replace(with candidate: any ByteSource, _ proof: Proof) throws(ArchiveError) {
        try install(candidate, proof) { file throws(ArchiveError) in
            if isWorthKeeping { try makePrevious(duplicate) }
            try file.commit()
        }
    }

    /// Replaces the archive with a copy of the previous edition, which is open, and keeps the archive as the previous edition.
    ///
    /// The edition before has the archive's name first. A run that ends between the two loses the archive that was given up, and never the edition
    /// to go back to.
    ///
    /// - Throws: as ``replace(with:_:)``.
    func rollBack(to edition: any ByteSource, _ proof: Proof) throws(ArchiveError) {
        try install(edition, madeFrom: SourceRights(of: [edition]), proof) { file throws(ArchiveError) in
            guard isWorthKeeping else { return try file.commit() }
            try makePrevious { partial in
                try duplicate(at: partial)
                try file.commit()
            }
        }
    }

    /// Checks a file with the archive's name that cannot be opened as an archive against the rules of ``replace(with:_:)``, before anything is loaded.
    ///
    /// - Throws: `alreadyExists`, `locked`, `io`.
    func checkReplaceable() throws(ArchiveError) { try start().cancel() }

    /// Begins a new file beside the archive, and takes the writer's lock. A file with the ending `.webarc` may be replaced even if it is
    /// damaged.
    ///
    /// - Throws: `alreadyExists`, `locked`, `changed`, `io`.
    private func start(madeFrom sources: SourceRights = SourceRights()) throws(ArchiveError) -> WholeArchiveFile {
        try WholeArchiveFile(replacing: path, isArchive: { $0.extension == "webarc" }, madeFrom: sources)
    }

    /// Copies a file beside the archive, proves the copy, and calls `finish`, which gives it the name. An error removes the copy.
    private func install(
        _ candidate: any ByteSource, madeFrom sources: SourceRights = SourceRights(), _ proof: Proof,
        _ finish: (WholeArchiveFile) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let file = try start(madeFrom: sources)
        defer { file.cancel() }
        try file.copy(candidate)
        try proof(file.contents(named: FilePath(candidate.name)))
        try finish(file)
    }

    /// Replaces the previous edition with a file that `make` makes under a temporary name.
    private func makePrevious(_ make: (FilePlace) throws -> Void) throws(ArchiveError) {
        let place = try FilePlace(previous)
        try ReplacementFile.write(to: place, make)
        // A run that ended early may have linked the archive, and renaming one link to another of the same file has no effect.
        place.with().remove()
    }

    /// Makes a second name of the archive's file, or a copy where the file system has no hard links.
    private func duplicate(at partial: FilePlace) throws {
        // A second name of a symbolic link would lead to the new archive.
        let file = try FilePlace(following: path)
        // Some file systems of sticks have no links.
        guard file.link(to: partial) else { return try ArchiveCopy.make(of: file.opened(), at: partial) }
        TemporaryFiles.note(partial)
    }

    /// Whether the archive becomes the previous edition: if it is whole, or if there is no other previous edition.
    private var isWorthKeeping: Bool {
        guard FileStatus(of: path) != nil else { return false }
        return FileStatus(of: previous) == nil || isWhole(path)
    }

    /// Returns whether an archive is whole: by the keys' signature, or without damage if they did not sign it. It costs a reading of it.
    func isWhole(_ path: FilePath) -> Bool { (try? ArchiveFile.open(path)).map(isWhole) ?? false }

    /// Returns whether an open archive is whole. As ``isWhole(_:)-(FilePath)``.
    func isWhole(_ source: any ByteSource) -> Bool {
        if let reader = try? ArchiveReader(source: source, trust: trust.withoutRevocations) {
            return (try? SignedParts(reader).verify(threads: threads)) ?? false
        }
        return (try? ArchiveReader(source: source).checkIntact(threads: threads)) != nil
    }
}
