// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive
import WebArchiveReplay

/// The surveys of the archives that are served now.
final class SpaceCache: Sendable {
    private struct State {
        weak var responder: ReplayResponder?
        var surveys = RecentValues<String, SpaceSurvey>(capacity: 32)
    }

    private let state = Mutex(State())

    /// Throws `damaged` or `io`.
    func survey(_ responder: ReplayResponder, prefix: String) throws(ArchiveError) -> SpaceSurvey {
        let known = state.withLock { state in
            if state.responder !== responder { state = State(responder: responder) }
            return state.surveys[prefix]
        }
        if let known { return known }
        // Outside of the lock: it may take a second, and another client's is another one.
        let survey = try SpaceSurvey(responder.site, prefix: prefix)
        state.withLock { state in
            if state.responder === responder { state.surveys[prefix] = survey }
        }
        return survey
    }
}
