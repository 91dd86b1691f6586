// SPDX-License-Identifier: Apache-2.0

/// The archives that a session is answered from: what was recorded first, then the bundles in their order.
struct SessionArchives: Sendable {
    let recording: RecordingArchive?
    private let bundles: [ArchiveMatcher]

    init(recording: RecordingArchive?, bundles: [ArchiveReader], matching: MatchOptions) {
        self.recording = recording
        self.bundles = bundles.map { ArchiveMatcher($0, options: matching) }
    }

    /// What cannot be read in one archive may be whole in the next.
    ///
    /// - Throws: `damaged` or `io` if nothing else was found.
    func lookUp(_ request: MatchRequest) throws(ArchiveError) -> StoredExchange? {
        var failure: ArchiveError?
        do throws(ArchiveError) {
            if let found = try recording?.lookup(request) { return found }
        } catch {
            failure = error
        }
        for bundle in bundles {
            do throws(ArchiveError) {
                if let found = try lookUp(request, in: bundle) { return found }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }

    private func lookUp(_ request: MatchRequest, in bundle: ArchiveMatcher) throws(ArchiveError) -> StoredExchange? {
        // An entry without an answer hides nothing that another bundle has.
        guard let match = try bundle.match(request), try match.entry.kind != nil else { return nil }
        return try StoredExchange(match.entry, url: request.url)
    }
}
