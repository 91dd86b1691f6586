// SPDX-License-Identifier: Apache-2.0

/// The archives that a session is answered from: what was recorded first, then the bundles in their order.
struct SessionArchives: Sendable {
    let recording: RecordingArchive?
    private let bundles: [ArchiveMatcher]

    init(recording: RecordingArchive?, bundles: [ArchiveReader], matching: MatchOptions) {
        self.recording = recording
        self.bundles = bundles.map { ArchiveMatcher($0, options: matching) }
    }

    /// - Throws: `damaged` or `io`.
    func lookUp(_ request: MatchRequest) throws(ArchiveError) -> StoredExchange? {
        if let found = try recording?.lookup(request) { return found }
        for bundle in bundles {
            // An entry without an answer hides nothing that another bundle has.
            if let match = try bundle.match(request), try match.entry.kind != nil {
                return try StoredExchange(match.entry, url: request.url)
            }
        }
        return nil
    }
}
