// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive
import WebArchiveReplay

/// A cache of recent surveys of the served archives.
final class SpaceCache: Sendable {
    private struct Key: Hashable {
        let site: ObjectIdentifier
        let prefix: String
    }

    private struct Known {
        weak let responder: ReplayResponder?
        let survey: SpaceSurvey
    }

    private let surveys = Mutex(RecentValues<Key, Known>(capacity: 32))

    /// Returns a survey. Throws `damaged` or `io`.
    func survey(_ responder: ReplayResponder, prefix: String) throws(ArchiveError) -> SpaceSurvey {
        let key = Key(site: ObjectIdentifier(responder), prefix: prefix)
        // A different responder may have the address of an earlier one.
        if let known = surveys.withLock({ $0[key] }), known.responder === responder { return known.survey }
        // Outside of the lock: it may take a second, and that of another client differs.
        let survey = try SpaceSurvey(responder.site, prefix: prefix)
        surveys.withLock { $0[key] = Known(responder: responder, survey: survey) }
        return survey
    }
}
