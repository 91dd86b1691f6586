// SPDX-License-Identifier: Apache-2.0

import Crypto
public import SystemPackage
public import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A publisher of a release folder, which any static host can serve: archives, patches between them, and a signed list.
///
/// The list is written last, so that devices that load meanwhile see the folder in its old or its new state.
///
/// ```swift
/// try ArchiveRelease(into: "public/notes", keys: [key]).publish("notes.webarc")
/// ```
public struct ArchiveRelease: Sendable {
    /// The counts of a release.
    public struct Summary: Sendable {
        /// The number of the edition.
        public var sequence: UInt64 = 0
        /// The series of the edition.
        public var series = ""
        /// The length of the archive, in bytes.
        public var length: UInt64 = 0
        /// The new patches, with the numbers of the editions that they are for, the newest first, and their lengths in bytes.
        public var patches: [(from: UInt64, length: UInt64)] = []
        /// The number of editions whose archives the folder now has, 1 to ``ArchiveRelease/keptEditions``.
        public var editionCount = 0
        /// The time from which readers refuse the list, in seconds since 1970; nil for never.
        public var expires: Int64?
        /// Whether the folder already had the edition, so that only its list is new.
        public var isRenewal = false
        /// The editions whose archives were missing in the folder, and that the list leaves out.
        public var missing: [UInt64] = []
        /// The number of archives and patches in the folder that are in no list, such as those of a removed list.
        public var unlistedCount = 0
        /// The keys that endorsed a key of the list before, and neither signed nor endorse a key of this one: who trusts nothing else cannot read it.
        public var forgottenKeys: [ArchivePublicKey] = []
    }

    /// The time after which readers refuse a list.
    public enum Lifetime: Hashable, Sendable {
        /// The same as that of the previous list; never without one.
        case asBefore
        /// No expiry.
        case unlimited
        /// A number of seconds.
        case seconds(Int64)
    }

    /// The folder.
    public let folder: FilePath
    /// The keys that sign the list; one of them must have signed the archive.
    public let keys: [ArchiveSigningKey]
    /// Endorsements of the keys by older ones.
    public var endorsements: [ArchiveEndorsement] = []
    /// Revocations of keys that were lost or stolen, in addition to those of the folder, which keeps them permanently.
    public var revocations: [ArchiveRevocation] = []
    /// Further keys that may have signed the existing list, such as one whose secret key was lost.
    public var formerKeys: Set<ArchivePublicKey> = []
    /// The number of editions whose archives the folder keeps, 1 to 100. For each of them there is a patch to the newest.
    public var keptEditions = 5
    /// The time after which readers refuse the list; by default the same as for the previous list.
    public var lifetime = Lifetime.asBefore
    /// The time of the release, in seconds since 1970.
    public var time: Int64
    /// The options of the patches.
    public var diffing = ArchiveDiffer.Options()

    /// The maximum number of editions to which the listed patches lead: those from editions without archives lead to later ones.
    private static let maximumGoalCount = 50
    /// The maximum number of listed patches.
    private static let maximumPatchCount = 200
    private static let lockedMessage = "another release into this folder is running; try again when it has ended"

    /// Creates a publisher. It reads nothing yet.
    ///
    /// - Parameters:
    ///   - folder: the folder, which is created if it is missing.
    ///   - keys: at least one.
    ///   - time: the time in seconds since 1970; the present by default.
    public init(
        into folder: FilePath, keys: [ArchiveSigningKey], time: Int64 = ArchiveTime.now().nanoseconds / 1_000_000_000
    ) {
        (self.folder, self.keys, self.time) = (folder, keys, time)
    }

    /// Adds an edition to the folder, and removes files that are not kept. Releasing the newest edition again renews the list, which then
    /// expires later.
    ///
    /// The archive is verified first, which costs a reading of it, decompression included. A patch from each kept edition costs as much as
    /// ``ArchiveDiffer/run(into:progress:)``, and is most of the time. All users may read the files of the folder, and the folder too if it is new, unless others may exchange it. A failure leaves the
    /// folder as it was. The folder is locked meanwhile (`flock`), so that no other release is lost.
    ///
    /// - Parameters:
    ///   - archive: a signed archive, of a higher sequence than those in the folder, or the newest of these.
    ///   - progress: a function that is called now and then while a patch is made, from any thread; it begins again with each patch.
    /// - Returns: the counts.
    /// - Throws: `untrusted` if the keys did not sign the archive or the existing list; `damaged` if the archive does not verify, or
    ///   `untrusted` for damage of signed parts; `alreadyExists` for an edition that is not newer;
    ///   `invalidArgument` for a different series, and if all the keys are revoked; `limitExceeded` for more than 16 revoked keys; as
    ///   ``ArchiveDiffer/run(into:progress:)``.
    @discardableResult
    public func publish(
        _ archive: FilePath, progress: (@Sendable (WorkProgress) -> Void)? = nil
    ) throws(ArchiveError) -> Summary {
        // From reading the list to replacing it: what another run adds meanwhile would be missing in the new one.
        var lock = try locked()
        defer { withExtendedLifetime(lock) {} }
        let formerList = try formerList()
        var revokedKeys: Set<ArchivePublicKey> = []
        let revocations = (self.revocations + (formerList?.rightRevocations ?? [])).filter {
            revokedKeys.insert($0.key).inserted
        }
        guard revocations.count <= SignedManifest.maximumCount else {
            throw ArchiveError(
                .limitExceeded,
                "the folder has \(revocations.count) revoked keys; the limit is \(SignedManifest.maximumCount)",
                path: folder.string)
        }
        var trust = ArchiveTrust(Set(keys.map(\.publicKey) + endorsements.map(\.oldKey)))
        trust.revokedKeys = revokedKeys
        guard keys.contains(where: { !trust.revokedKeys.contains($0.publicKey) }) else {
            throw ArchiveError(
                .invalidArgument, "the signing key is revoked; sign with a different one", path: archive.string)
        }
        let reader = try signedReader(archive, trust)
        guard let statement = reader.statement, reader.untrustedCommitCount == 0, reader.tornTail == 0 else {
            throw ArchiveError(
                .untrusted, "the archive has unsigned data", path: archive.string, recovery: .signAgain)
        }
        let former = try former(formerList, trust)
        let stored = StoredArchive(reader)
        let identity = try PatchHeader.identity(of: stored).hexadecimalDigits
        let name = Self.name(statement.series, statement.sequence)
        let file = UpdateManifest.File(
            name: name + ".webarc", length: reader.fileLength,
            sha256: try SHA256.digest(of: stored.source, stored.committedLength).hexadecimalDigits)
        let edition = UpdateManifest.Edition(sequence: statement.sequence, identity: identity, file: file)
        let isRenewal = former?.newest == edition
        if !isRenewal { try check(statement, against: former, archive) }
        // All devices would refuse a damaged archive, and the list that announces it is permanently signed.
        try reader.checkIntact(threads: diffing.threads)
        if lock == nil {
            _ = try OpenFolder(folder, creating: .readableByAll)
            lock = try locked()
            guard FileStatus(of: folder.appending(UpdateManifest.fileName)) == nil else {
                throw ArchiveError(.locked, Self.lockedMessage, path: folder.string)
            }
        }
        guard let open = lock?.folder else {
            throw ArchiveError(.changed, "the folder was moved or deleted; try again", path: folder.string)
        }
        func place(_ name: String) -> FilePlace { FilePlace(folder.appending(name), in: open) }
        var summary = Summary(sequence: statement.sequence, series: statement.series, length: reader.fileLength)
        summary.isRenewal = isRenewal
        let earlier = (former?.editions ?? []).filter { $0.sequence < statement.sequence }
        let kept = earlier.prefix(keptEditions - 1).filter { edition in
            let isThere = place(edition.file.name).status(followsLinks: true) != nil
            if !isThere { summary.missing.append(edition.sequence) }
            return isThere
        }
        var written: [FilePlace] = []
        do throws(ArchiveError) {
            let copy = place(file.name)
            let isNew = copy.status() == nil
            if !isRenewal || isNew {
                if !isNew { try checkReplaceable(copy, file) }
                try self.copy(stored.source, to: copy)
                if isNew { written.append(copy) }
            }
            var patches = former?.patches ?? []
            for base in kept where !isRenewal {
                let patch = place("\(name)-from-\(base.sequence).webarcpatch")
                let isNew = patch.status() == nil
                let made = try makePatch(patch, from: base, to: edition, stored, progress)
                if isNew { written.append(patch) }
                summary.patches.append((base.sequence, made.length))
                patches.insert(
                    UpdateManifest.Patch(from: base.identity, to: identity, sha256: file.sha256, file: made), at: 0)
            }
            let editions = [edition] + kept
            let manifest = UpdateManifest(
                series: statement.series, time: time, expires: expiry(after: former), editions: editions,
                patches: Self.kept(patches, editions.map(\.identity)))
            let list = try SignedManifest(manifest, keys: keys, endorsements: endorsements, revocations: revocations)
                .encoded()
            try ReplacementFile.write(
                list, to: place(UpdateManifest.fileName), permissions: .ownerReadWrite, finish: Self.publish)
            removeOthers(former, manifest, place)
            (summary.editionCount, summary.expires) = (editions.count, manifest.expires)
            summary.unlistedCount = unlistedCount(manifest)
            summary.forgottenKeys = (formerList?.rightEndorsements ?? []).map(\.oldKey).filter {
                !trust.keys.contains($0) && !revokedKeys.contains($0)
            }
        } catch {
            // The list that exists has none of them.
            for place in written { place.remove() }
            throw error
        }
        return summary
    }

    /// Locks the folder, without waiting; nil if it does not exist.
    ///
    /// - Throws: `locked` while another release into it runs; `io`.
    private func locked() throws(ArchiveError) -> LockedFolder? {
        let place: FilePlace
        do throws(ArchiveError) {
            place = try FilePlace(following: folder, isNew: true)
        } catch {
            guard error.cause as? Errno == .noSuchFileOrDirectory else { throw error }
            return nil
        }
        return try LockedFolder(place, isLocked: Self.lockedMessage)
    }

    /// Returns the time of the expiry of the new list, in seconds since 1970; nil for never.
    private func expiry(after former: UpdateManifest?) -> Int64? {
        let seconds: Int64? =
            switch lifetime {
            case .unlimited: nil
            case .seconds(let seconds): seconds
            case .asBefore: former.flatMap { list in list.expires.map { $0 &- list.time } }
            }
        return seconds.map { time &+ $0 }
    }

    /// Reads the list of the folder without verification; nil without a folder or a list.
    ///
    /// - Throws: `damaged` for a file that is not a list, `limitExceeded` for one of more than 1 MiB, `io`.
    private func formerList() throws(ArchiveError) -> SignedManifest? {
        guard FileStatus(of: folder) != nil else { return nil }
        do throws(ArchiveError) {
            let bytes = try FolderUpdateSource(folder).bytes(
                of: UpdateManifest.fileName, atMost: UpdateManifest.maximumLength)
            return try SignedManifest(decoding: bytes, name: folder.appending(UpdateManifest.fileName).string)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Returns the list of the folder, which a key may have signed that is now revoked.
    private func former(_ list: SignedManifest?, _ trust: ArchiveTrust) throws(ArchiveError) -> UpdateManifest? {
        var trust = trust.withoutRevocations
        trust.keys.formUnion(revocations.map(\.key))
        trust.keys.formUnion(formerKeys)
        let path = folder.appending(UpdateManifest.fileName).string
        do throws(ArchiveError) {
            return try list?.manifest(trust: trust, name: path)
        } catch {
            guard error.code == .untrusted else { throw error }
            throw ArchiveError(
                .untrusted, "none of the keys signed the list", path: path, recovery: .signWithFormerKey)
        }
    }

    /// Opens an archive that the keys of the list signed.
    private func signedReader(_ archive: FilePath, _ trust: ArchiveTrust) throws(ArchiveError) -> ArchiveReader {
        do throws(ArchiveError) {
            return try ArchiveReader(path: archive, trust: trust)
        } catch {
            guard error.code == .untrusted else { throw error }
            throw ArchiveError(
                .untrusted, "\(error.message); sign it with a key that signs the list", path: archive.string)
        }
    }

    /// Checks that an archive continues the editions of the folder.
    ///
    /// - Throws: `invalidArgument` for a different series; `alreadyExists` for a sequence that is not higher than all others.
    private func check(
        _ statement: ArchiveStatement, against former: UpdateManifest?, _ archive: FilePath
    ) throws(ArchiveError) {
        guard let former, let newest = former.newest else { return }
        guard former.series == statement.series else {
            throw ArchiveError(
                .invalidArgument,
                "the archive is an edition of \(statement.series), but the folder has editions of \(former.series)",
                path: archive.string, recovery: .keepSeries)
        }
        guard statement.sequence > newest.sequence else {
            throw ArchiveError(
                .alreadyExists,
                statement.sequence == newest.sequence
                    ? "edition \(statement.sequence) already exists in the folder with different content"
                    : "edition \(statement.sequence) is older than edition \(newest.sequence) in the folder",
                path: archive.string,
                recovery: .raiseSequence)
        }
    }

    /// Checks that the file under the name of a new edition, which is in no list, has its contents: a release that was killed may have left it.
    private func checkReplaceable(_ place: FilePlace, _ file: UpdateManifest.File) throws(ArchiveError) {
        let path = place.path
        let present = try FileByteSource(path: path)
        guard present.length == file.length, try SHA256.digest(of: present).hexadecimalDigits == file.sha256 else {
            throw ArchiveError(
                .alreadyExists, "a different file, which is in no list, has the name of the edition; move it elsewhere",
                path: path.string)
        }
    }

    /// Copies the verified archive, even if its name leads to a different file by now.
    private func copy(_ archive: any ByteSource, to place: FilePlace) throws(ArchiveError) {
        try ReplacementFile.write(EmptyCollection(), to: place, permissions: .ownerReadWrite) { file in
            try ArchiveCopy.append(archive, to: file)
            try Self.publish(file)
        }
    }

    /// Permits all users to read a complete file, regardless of `umask` and of the archive's own rights, and waits until it is on disk.
    private static func publish(_ file: FileDescriptor) throws {
        guard fchmod(file.rawValue, 0o644) == 0, fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Makes a patch between the archive of an edition in the folder and the verified archive, which is open: its name may lead to a private file by
    /// now.
    ///
    /// - Throws: as ``ArchiveDiffer/run(into:progress:)``; `changed` if the patch is not between the listed archives.
    private func makePatch(
        _ patch: FilePlace, from base: UpdateManifest.Edition, to edition: UpdateManifest.Edition, _ new: StoredArchive,
        _ progress: (@Sendable (WorkProgress) -> Void)?
    ) throws(ArchiveError) -> UpdateManifest.File {
        let path = folder.appending(base.file.name)
        var made: UpdateManifest.File?
        _ = try ArchiveDiffer(from: path, to: FilePath(new.source.name), options: diffing).run(
            StoredArchive(ArchiveReader(path: path)), StoredArchive(ArchiveReader(source: new.source)), into: patch,
            progress: progress
        ) { file in
            let source = try FileByteSource(of: file, name: patch.path)
            let header = try PatchHeader(of: source)
            guard header.oldIdentity.hexadecimalDigits == base.identity,
                header.newDigest.hexadecimalDigits == edition.file.sha256
            else {
                throw ArchiveError(
                    .changed, "the archive, or that of edition \(base.sequence), changed; try again",
                    path: new.source.name)
            }
            made = UpdateManifest.File(
                name: patch.path.lastComponent?.string ?? "", length: source.length,
                sha256: try SHA256.digest(of: source).hexadecimalDigits)
            try Self.publish(file)
        }
        guard let made else { throw ArchiveError(.io, "cannot write", path: patch.path.string) }
        return made
    }

    /// Returns the name of the file for an edition: the series with its permitted letters, and the number.
    private static func name(_ series: String, _ sequence: UInt64) -> String {
        let letters = series.utf8.prefix(64).map {
            UpdateManifest.isName(String(UnicodeScalar($0))) || $0 == 0x2E ? $0 : 0x2D
        }
        let text = String(decoding: letters, as: UTF8.self)
        return (UpdateManifest.isName(text) ? text : "archive") + "-\(sequence)"
    }

    /// Returns the patches that lead to an edition of the folder, or to one of these by another patch.
    private static func kept(_ patches: [UpdateManifest.Patch], _ identities: [String]) -> [UpdateManifest.Patch] {
        var goals = Set(identities)
        var kept: [UpdateManifest.Patch] = []
        for patch in patches where goals.contains(patch.to) && kept.count < maximumPatchCount {
            kept.append(patch)
            if goals.count < maximumGoalCount { goals.insert(patch.from) }
        }
        return kept
    }

    /// Removes the files that the former list has and the new one lacks. No other file is removed, and a failure has no effect.
    private func removeOthers(
        _ former: UpdateManifest?, _ manifest: UpdateManifest, _ place: (String) -> FilePlace
    ) {
        let kept = Set(manifest.editions.map(\.file.name) + manifest.patches.map(\.file.name))
        let before = (former?.editions.map(\.file.name) ?? []) + (former?.patches.map(\.file.name) ?? [])
        for name in before where !kept.contains(name) { place(name).remove() }
    }

    /// Counts the files of the folder with the endings of archives and patches that the list does not have; 0 if the folder cannot be read.
    private func unlistedCount(_ manifest: UpdateManifest) -> Int {
        guard let stream = opendir(folder.string) else { return 0 }
        defer { closedir(stream) }
        let listed = Set(manifest.editions.map(\.file.name) + manifest.patches.map(\.file.name))
        var count = 0
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let isOfRelease = name.hasSuffix(".webarc") || name.hasSuffix(".webarcpatch")
            if isOfRelease, !listed.contains(name) { count += 1 }
        }
        return count
    }
}
