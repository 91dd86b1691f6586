// SPDX-License-Identifier: Apache-2.0

/// The selection of captures that requests can still find, and that therefore stay when an archive is compacted.
///
/// An older capture is removed if a newer one matches its request. An entry without a response is removed together with the older
/// captures that it hides. An entry that is kept for unpacking stays.
struct CaptureRetention {
    /// The removed captures, in the file that they are in.
    let evicted: Set<EntryPosition>
    let file: FileNumber?
    let keepsHistory: Bool

    /// Returns the captures of one URL that requests can find, or that are kept for unpacking: those that stay not only as history.
    ///
    /// - Parameter captures: the captures, as for ``kept(_:)``.
    /// - Throws: `io`.
    func reusable(_ captures: [ArchiveEntry]) throws(ArchiveError) -> [ArchiveEntry] {
        try CaptureRetention(evicted: evicted, file: file, keepsHistory: false).kept(captures)
    }

    /// Returns the captures of one URL that stay.
    ///
    /// - Parameter captures: all entries of the URL, newest commit first, as an archive lists them.
    /// - Throws: `io`. Damaged captures do not stay.
    func kept(_ captures: [ArchiveEntry]) throws(ArchiveError) -> [ArchiveEntry] {
        var kept: [ArchiveEntry] = []
        var newer: [RequestKey: Newer] = [:]
        for capture in try newestFirst(captures) {
            guard let key = capture.key else {
                kept.append(capture.entry)
                continue
            }
            do throws(ArchiveError) {
                if try newer[key, default: Newer()].keeps(capture.entry) || keepsHistory {
                    if !isEvicted(capture.entry) { kept.append(capture.entry) }
                }
            } catch {
                guard error.code == .damaged else { throw error }
            }
        }
        return kept
    }

    /// Returns a function that decides whether an entry stays, for entries in the order of an archive.
    func filter() -> (ArchiveEntry) throws(ArchiveError) -> Bool {
        var key: [UInt8] = []
        var stays: Set<EntryPosition> = []
        return { entry throws(ArchiveError) in
            let next = try entry.keyBytes
            if next != key {
                guard let url = try? CanonicalURL(utf8: next) else { return false }
                stays = Set(try kept(entry.archive.entries(of: url, atMost: .max)).map(\.position))
                key = next
            }
            return stays.contains(entry.position)
        }
    }

    private func isEvicted(_ entry: ArchiveEntry) -> Bool {
        entry.archive.fileNumber == file && evicted.contains(entry.position)
    }

    /// The newer captures of one request, as far as they are known.
    private struct Newer {
        private var captures: [ArchiveEntry] = []
        private var isRemoved = false

        /// Returns whether no capture so far hides this one, which hides older ones from here on.
        mutating func keeps(_ entry: ArchiveEntry) throws(ArchiveError) -> Bool {
            if isRemoved { return false }
            if try entry.kind == nil {
                isRemoved = true
                return false
            }
            let headers = VaryingFields(try entry.request.headers)
            for capture in captures where try capture.varyDifference(from: headers) == nil { return false }
            captures.append(entry)
            return true
        }
    }

    private struct Timed {
        let time: ArchiveTime?
        let order: Int
        let entry: ArchiveEntry
        /// The key; nil for an entry that satisfies no request.
        let key: RequestKey?
    }

    private func newestFirst(_ captures: [ArchiveEntry]) throws(ArchiveError) -> [Timed] {
        var timed: [Timed] = []
        for (order, entry) in captures.enumerated() {
            do throws(ArchiveError) {
                let key = try entry.role.isServed ? entry.requestKey : nil
                timed.append(Timed(time: try entry.time, order: order, entry: entry, key: key))
            } catch {
                guard error.code == .damaged else { throw error }
            }
        }
        return timed.sorted { left, right in
            ArchiveTime.isOlder(right.time, left.time) || left.time == right.time && left.order < right.order
        }
    }
}

extension ArchiveEntry {
    /// The key by which a lookup finds the entry.
    var requestKey: RequestKey {
        get throws(ArchiveError) {
            do {
                return RequestKey(
                    url: try CanonicalURL(utf8: keyBytes), method: try method, bodyDigest: try requestBody?.digest)
            } catch let error as ArchiveError {
                throw error
            } catch {
                throw ArchiveError(.damaged, "a key is not a URL", path: archive.name, cause: error)
            }
        }
    }

    /// Whether all of it is readable.
    var isReadable: Bool {
        get throws(ArchiveError) {
            do throws(ArchiveError) {
                _ = (try request, try response, try time)
                try body?.forEachBuffer { _ in }
                try requestBody?.forEachBuffer { _ in }
                return true
            } catch {
                guard error.code == .damaged else { throw error }
                return false
            }
        }
    }
}

extension ArchiveReader {
    /// Calls `work` with the entries of each URL in turn, newest commit first.
    func forEachURL(_ work: ([ArchiveEntry]) throws(ArchiveError) -> Void) throws(ArchiveError) {
        var group: [ArchiveEntry] = []
        var key: [UInt8] = []
        try forEachEntry { entry throws(ArchiveError) in
            let next = try entry.keyBytes
            if next != key, !group.isEmpty {
                try work(group)
                group.removeAll(keepingCapacity: true)
            }
            key = next
            group.append(entry)
            return true
        }
        if !group.isEmpty { try work(group) }
    }
}
