// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive
import WebArchiveReplay

/// A cache of recent surveys of the served archives.
final class SpaceCache: Sendable {
    /// The identity of a survey: its archives and its folder.
    private struct Key: Hashable {
        /// The identity of the responder, which is another one after an archive was replaced.
        let site: ObjectIdentifier
        /// The prefix of the surveyed URLs.
        let prefix: String
    }

    /// A survey with the responder for which it was made.
    private struct Known {
        /// The responder, which must not be kept alive by a cache of its numbers.
        weak let responder: ReplayResponder?
        /// The survey, which has no reference to the archives.
        let survey: SpaceSurvey
    }

    /// The surveys that were used last, 32 to 64 of them.
    private let surveys = Mutex(RecentValues<Key, Known>(capacity: 32))

    /// Returns a survey. Throws `damaged` or `io`.
    ///
    /// Two clients that need the same survey at once both make it.
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
