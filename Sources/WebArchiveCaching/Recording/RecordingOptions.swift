// SPDX-License-Identifier: Apache-2.0

public import WebArchive

extension RecordingArchive {
    /// The options of a recording archive.
    public struct Options: Sendable {
        /// Level and block length. An archive that is there already keeps its block length.
        public var writing = ArchiveWriter.Options()
        /// How the file is read.
        public var access = FileByteSource.Access.positional
        /// By which rules stored exchanges answer; ``MatchRule/exact`` and ``MatchRule/headFromGet`` by default (RFC 9110 section
        /// 9.3.2). Exchanges that wait for a commit answer by these two only.
        public var matching = ArchiveMatcher.Options(rules: [.exact, .headFromGet])
        /// How long the first exchange waits for others before they are committed.
        public var commitInterval = Duration.seconds(3)
        /// Bytes that may wait; more bring about a commit at once. Where commits fail, the oldest exchanges are dropped beyond four
        /// times this.
        public var maximumPendingLength: UInt64 = 64 << 20
        /// Whether captures stay that newer ones of the same request hide, and those of URLs that were removed.
        public var keepsHistory = false
        /// The limits beyond which the least recently used responses are removed.
        public var capacity = Capacity()
        /// The time without a request after which an exchange is removed; nil: none is. One that was never asked for counts from its capture on.
        public var expiry: Duration?
        /// The file is compacted when more than this part of it is taken by what nothing can ask for any more; 0 to 1.
        public var wasteLimit = 0.5
        /// The file is compacted when it has this many commits; 2 to 1,024. Each lookup looks into each commit.
        public var maximumCommitCount = 32
        /// The clock.
        public var now: @Sendable () -> ArchiveTime = ArchiveTime.now
        var delay = DelayedWork.dispatch

        /// Creates the default options.
        public init() {}
    }

    /// The limits of a recording archive. The entries that were asked for least recently are removed first.
    public struct Capacity: Hashable, Sendable {
        /// Length of the file; nil: any. It is passed for moments, until the next removal and compaction have run.
        public var bytes: UInt64?
        /// Captures, redirects included; nil: any number.
        public var entries: Int?

        /// Creates limits; nil for none.
        public init(bytes: UInt64? = nil, entries: Int? = nil) {
            self.bytes = bytes
            self.entries = entries
        }
    }
}
