// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive
import WebArchiveReplay

/// The surveys of the archives that are served now. One is made at a time, for it may take seconds.
final class SpaceCache: Sendable {
    private struct State {
        weak var responder: ReplayResponder?
        var surveys = RecentValues<String, SpaceSurvey>(capacity: 32)
    }

    private let state = Mutex(State())

    /// Throws `damaged` or `io`.
    func survey(_ responder: ReplayResponder, prefix: String) throws(ArchiveError) -> SpaceSurvey {
        try state.withLock { (state) throws(ArchiveError) in
            if state.responder !== responder { state = State(responder: responder) }
            if let known = state.surveys[prefix] { return known }
            let survey = try SpaceSurvey(responder.site, prefix: prefix)
            state.surveys[prefix] = survey
            return survey
        }
    }
}
