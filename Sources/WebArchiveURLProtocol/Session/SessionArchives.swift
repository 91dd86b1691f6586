// SPDX-License-Identifier: Apache-2.0

import SystemPackage

/// The archives that a session is answered from: what was recorded first, then the bundles in their order.
struct SessionArchives: Sendable {
    let recording: RecordingArchive?
    private let bundles: [SiteMatcher]

    init(recording: RecordingArchive?, bundles: [ArchiveReader], matching: ArchiveMatcher.Options) {
        self.recording = recording
        self.bundles = bundles.map { SiteMatcher([ArchiveMatcher($0, options: matching)]) }
    }

    /// Folders in which long bodies wait for a commit: beside the archive, where there is room for them, as the system's temporary files may lie in
    /// memory.
    var spoolFolders: [FilePath] {
        [recording?.path.removingLastComponent(), SpooledBody.temporaryFolder].compactMap(\.self)
    }

    /// A stored exchange, and the place of its archive: 0 for the recording, then the bundles.
    typealias Found = (exchange: StoredExchange, place: Int)

    /// Looks a request up in each archive: what cannot be read in one may be whole in the next.
    ///
    /// - Parameter first: the place of the first archive that is asked.
    /// - Throws: `damaged` or `io` if nothing else was found.
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

    /// Looks a request up in the archive at one place; nil where it has nothing. A redirect by a rule of a bundle has no time, and so is as
    /// old as can be.
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
