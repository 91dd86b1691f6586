// SPDX-License-Identifier: Apache-2.0

/// A search for captures in an archive of which some have been removed. Specification section 8.5.
struct CaptureSearch {
    private let archive: ArchiveReader
    private let evicted: Set<EntryPosition>

    init(_ archive: ArchiveReader, evicted: Set<EntryPosition> = []) {
        self.archive = archive
        self.evicted = evicted
    }

    /// Returns the newest capture that fits a request; nil if there is none. One without a response states that there is none.
    ///
    /// - Parameter time: the newest capture that is not later; nil: any.
    func newest(
        _ key: RequestKey, _ headers: HeaderFields, at time: ArchiveTime? = nil
    ) throws(ArchiveError) -> ArchiveEntry? {
        var newest: (time: ArchiveTime?, entry: ArchiveEntry)?
        let limited = archive.limited(to: .forRequest())
        let requestFields = VaryingFields(headers)
        for entry in try limited.entries(of: key.url, atMost: RecordingArchive.captureLimit) {
            guard try entry.role.isServed, try entry.isFor(method: key.method, bodyDigest: key.bodyDigest),
                !evicted.contains(entry.position)
            else { continue }
            let own = try entry.time
            if let time, let own, own > time { continue }
            // Of equal times the first one is the newest.
            guard newest.map({ ArchiveTime.isOlder($0.time, own) }) ?? true else { continue }
            if try entry.varyDifference(from: requestFields) == nil { newest = (own, entry) }
        }
        return newest.flatMap { archive.entry(at: $0.entry.position) }
    }

    /// Returns the time of the newest entry of a URL, for any request; nil if none has one.
    func newestTime(of url: CanonicalURL) throws(ArchiveError) -> ArchiveTime? {
        var newest: ArchiveTime?
        for entry in try archive.entries(of: url, atMost: RecordingArchive.captureLimit) {
            if let time = try entry.time, newest.map({ $0 < time }) ?? true { newest = time }
        }
        return newest
    }
}
