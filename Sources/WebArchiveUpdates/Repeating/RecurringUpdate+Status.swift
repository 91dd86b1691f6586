// SPDX-License-Identifier: Apache-2.0

public import WebArchive

extension RecurringUpdate {
    /// The counts and the results of the checks since the updates were created, for monitoring.
    public struct Status: Hashable, Sendable {
        /// The number of checks of release folders, successful or not.
        public internal(set) var checkCount = 0
        /// The number of checks that failed.
        public internal(set) var failureCount = 0
        /// The number of editions that were installed.
        public internal(set) var installedCount = 0
        /// The time of the last successful check; nil before the first one.
        public internal(set) var lastSuccess: ArchiveTime?
        /// The sequence of the installed edition at that check; nil before the first successful check.
        public internal(set) var sequence: UInt64?

        /// Counts a check.
        ///
        /// - Parameters:
        ///   - outcome: the outcome; nil for a failure.
        ///   - time: the time of the check.
        mutating func note(_ outcome: ArchiveUpdater.Outcome?, at time: ArchiveTime) {
            checkCount += 1
            guard let outcome else {
                failureCount += 1
                return
            }
            lastSuccess = time
            switch outcome {
            case .current(let sequence): self.sequence = sequence
            case .rejected(_, let sequence): self.sequence = sequence
            case .updated(_, let sequence, _, _):
                self.sequence = sequence
                installedCount += 1
            }
        }
    }
}
