// SPDX-License-Identifier: Apache-2.0

import SystemPackage

/// The archives of a session: first the recording one, then the bundles in their order.
struct SessionArchives: Sendable {
    let recording: RecordingArchive?
    private let bundles: [SiteMatcher]

    init(recording: RecordingArchive?, bundles: [ArchiveReader], matching: ArchiveMatcher.Options) {
        self.recording = recording
        self.bundles = bundles.map { SiteMatcher([ArchiveMatcher($0, options: matching)]) }
    }

    /// The folders in which long bodies wait for a commit: beside the archive, where there is space for them, as the system's temporary files
    /// may be in memory.
    var spoolFolders: [FilePath] {
        [recording?.path.removingLastComponent(), SpooledBody.temporaryFolder].compactMap(\.self)
    }

    /// A stored exchange, and the index of its archive: 0 for the recording one, then the bundles.
    typealias Found = (exchange: StoredExchange, place: Int)

    /// Looks a request up in each archive: a response that is unreadable in one may be intact in the next.
    ///
    /// - Parameter first: the index of the first archive to search.
    /// - Throws: `damaged` or `io` if no other response was found.
    func lookUp(_ request: MatchRequest, from first: Int = 0) throws(ArchiveError) -> Found? {
        var failure: ArchiveError?
        for place in min(first, bundles.count + 1)..<bundles.count + 1 {
            do throws(ArchiveError) {
                if let found = try lookUp(request, at: place) { return (found, place) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }

    /// Looks a request up in one archive; nil without a response. A redirect by a rule of a bundle has no time, and so counts as
    /// infinitely old.
    private func lookUp(_ request: MatchRequest, at place: Int) throws(ArchiveError) -> StoredExchange? {
        if place == 0 { return try recording?.lookup(request) }
        let result = try bundles[place - 1].match(request, within: .forRequest())
        switch result.response {
        case .entry(let match, let status):
            return try StoredExchange(match.entry, url: request.url, status: status)
        case .redirect(let status, let location):
            let redirect = ArchiveResponse(status: status, headers: ["Location": location])
            return StoredExchange(
                url: request.url, request: ArchiveRequest(method: request.method, url: request.url.description),
                response: redirect, body: nil, time: nil)
        case nil: return nil
        }
    }
}
