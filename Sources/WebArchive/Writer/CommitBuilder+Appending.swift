// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

extension CommitBuilder {
    /// Starts a new commit of an archive, or a new archive if there is none of this path.
    ///
    /// - Throws: errors of ``ArchiveWriter``.
    package static func appendingOrCreating(
        _ path: FilePath, options: ArchiveWriter.Options = ArchiveWriter.Options()
    ) throws(ArchiveError) -> CommitBuilder {
        do throws(ArchiveError) {
            return try CommitBuilder(appendingTo: path, options: options)
        } catch {
            guard error.cause as? Errno == .noSuchFileOrDirectory else { throw error }
        }
        let creator = try CommitBuilder(creating: path, options: options)
        // The creator of the archive holds the lock as well, so a missing archive does not appear any more.
        do throws(ArchiveError) {
            _ = try FileByteSource(path: path)
        } catch {
            return creator
        }
        creator.cancel()
        return try CommitBuilder(appendingTo: path, options: options)
    }

    /// Reads the metadata of earlier commits; none for a new archive.
    package func existingMetadata() throws(ArchiveError) -> [String: String] { try base?.metadata() ?? [:] }

    /// Returns a time that is not before the newest of earlier commits for a `GET` of a URL, which would stay the newest
    /// otherwise.
    package func time(_ time: ArchiveTime?, notBeforeThatOf url: CanonicalURL) throws(ArchiveError) -> ArchiveTime? {
        guard let newest = try newestEntry(of: url) else { return time }
        let stored = try newest.time
        return ArchiveTime.isOlder(time, stored) ? stored : time
    }

    /// Returns the entry of a `GET` with the largest time, and among equal ones that of the latest commit. Specification section 8.
    ///
    /// - Parameter isServed: whether only entries with a response count, or only those without one; nil: all.
    private func newestEntry(
        of url: CanonicalURL, isServed: Bool? = nil
    ) throws(ArchiveError) -> ArchiveEntry? {
        var captures: [ArchiveEntry] = []
        for entry in try earlierCaptures(of: url) {
            if let isServed, try entry.role.isServed != isServed { continue }
            captures.append(entry)
        }
        return try captures.captured(at: nil)
    }

    /// Returns the entries for a `GET` of a URL, which a writer needs several times in turn.
    private func earlierCaptures(of url: CanonicalURL) throws(ArchiveError) -> [ArchiveEntry] {
        guard let base else { return [] }
        if let lastCaptures, lastCaptures.url == url { return lastCaptures.entries }
        let places = try url.bytes.withBytes { (key) throws(ArchiveError) in try earlierKeys?.places(of: key) } ?? []
        var captures: [ArchiveEntry] = []
        let list = try CaptureList(of: url, .request(method: "GET", bodyDigest: nil), in: base, places: places)
        // A reader relies on the order of the rows for lookups only.
        for entry in list.entries where try entry.isFor(method: "GET", bodyDigest: nil) { captures.append(entry) }
        lastCaptures = (url, captures)
        return captures
    }

    /// Finds the newest entry of an earlier commit, if it is identical.
    ///
    /// - Returns: the entry; nil if it differs, or there is none, or this commit has one for the URL.
    package func unchangedEntry(
        _ url: CanonicalURL, response: ArchiveResponse?, body: BodyReference?, role: ArchiveEntry.Role
    ) throws(ArchiveError) -> EntryReference? {
        // An entry of this commit would hide it.
        guard draft.entry(url) == nil,
            let newest = try newestEntry(of: url, isServed: role.isServed), try newest.role == role,
            try reference(to: newest.body)?.number == body?.number
        else { return nil }
        do throws(ArchiveError) {
            // Long fields that all entries share would be decoded for each.
            guard let limitedBase, try ArchiveEntry(newest.place, of: limitedBase).response == response else {
                return nil
            }
        } catch  where error.code == .limitExceeded {
            return nil
        }
        return EntryReference(number: 0, earlier: newest)
    }

    /// Finds the newest entry of an earlier commit, if its response is that of another entry of an earlier commit, but
    /// with this status.
    package func unchangedAlias(
        _ url: CanonicalURL, of entry: EntryReference, status: Int
    ) throws(ArchiveError) -> EntryReference? {
        guard let original = entry.earlier, var response = try original.response else { return nil }
        if response.isRedirect { return try hasAlias(url, of: entry) ? entry : nil }
        response.status = status
        return try unchangedEntry(url, response: response, body: reference(to: original.body), role: .alias)
    }

    /// Returns whether an earlier commit has this alias for an entry of an earlier commit.
    package func hasAlias(_ url: CanonicalURL, of entry: EntryReference) throws(ArchiveError) -> Bool {
        guard draft.entry(url) == nil, let original = entry.earlier,
            let alias = try newestEntry(of: url, isServed: true)
        else { return false }
        return try alias.sharesResponse(with: original)
    }

    /// Finds the entries of earlier commits for a URL, newest commit first, at most `limit`.
    package func existingEntries(
        of url: CanonicalURL, atMost limit: Int
    ) throws(ArchiveError) -> [ArchiveEntry] { try base?.entries(of: url, atMost: limit) ?? [] }

    /// Returns the reference to a body that a reader has found in this file, in any earlier commit; nil if it is in
    /// a different file.
    ///
    /// Digest and length are compared, and no byte is read.
    package func reference(toStored body: ArchiveBody) throws(ArchiveError) -> BodyReference? {
        guard let base, let number = base.fileNumber, body.store.index.source.fileNumber == number,
            base.index.commits.count > body.place.commit,
            base.index.commit(body.place).rowCount(.body) > body.place.row
        else { return nil }
        let own = try base.body(body.place)
        return own.digest == body.digest && own.length == body.length ? reference(to: own) : nil
    }

    /// Returns the reference to a body of an earlier commit.
    func reference(to body: ArchiveBody?) -> BodyReference? {
        guard let base, let body else { return nil }
        let number = UInt32(base.index.commit(body.place).firstRow(.body)) + body.place.row + 1
        return BodyReference(number: number, digest: body.digest, length: body.length)
    }
}
