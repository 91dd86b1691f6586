// SPDX-License-Identifier: Apache-2.0

public import WebArchive

extension RecordingArchive {
    /// The options of a recording archive.
    public struct Options: Sendable {
        /// The level and the block length of the writer. An existing archive keeps its block length.
        public var writing = ArchiveWriter.Options()
        /// The access to the file; `positional` by default, which reports errors of a failing medium.
        public var access = FileByteSource.Access.positional
        /// The rules by which stored exchanges satisfy requests (specification section 8.5); ``MatchRule/exact`` and ``MatchRule/headFromGet`` by
        /// default (RFC 9110 section 9.3.2). Exchanges that wait for a commit do so by these two only.
        public var matching = ArchiveMatcher.Options(rules: [.exact, .headFromGet])
        /// The time for which the first exchange waits for others before they are committed; three seconds by default. After a failure it
        /// doubles, up to a minute.
        public var commitInterval = Duration.seconds(3)
        /// The maximum number of pending bytes, 64 MiB by default; more cause a commit at once, as do 1,000 exchanges or 32 of long bodies. Where
        /// commits fail, the oldest exchanges are dropped beyond four times this; beyond 10,000 exchanges, or 128 of long bodies, they are
        /// in any case.
        public var maximumPendingLength: UInt64 = 64 << 20
        /// Whether captures stay that newer ones of the same request hide, and those of removed URLs. False by default:
        /// compacting leaves them out.
        public var keepsHistory = false
        /// The limits beyond which the least recently used responses are removed; none by default.
        public var capacity = Capacity()
        /// The time without a request after which an exchange is removed; nil, as by default: none is. Without a request it counts
        /// from its capture on.
        ///
        /// It is looked for every eighth of this time, at least every hour. Times of use are kept in a file beside the archive, `.uses`
        /// after its name.
        public var expiry: Duration?
        /// The part of the file, 0 to 1, beyond which it is compacted if that much of it is waste that no request can find; a half by
        /// default. Less than 64 KiB is not worthwhile.
        public var wasteLimit = 0.5
        /// The number of commits at which the file is compacted: 2 to 1,024, 32 by default. Each lookup searches each commit.
        ///
        /// A file whose first commit has 8 MiB or more waits until an eighth of that was added, or until it has 512 commits.
        public var maximumCommitCount = 32
        /// The clock, `ArchiveTime.now` by default, for the times of uses and removals, and for
        /// the expiry.
        public var now: @Sendable () -> ArchiveTime = ArchiveTime.now
        var delay = DelayedWork.dispatch

        /// Creates the default options.
        public init() {}
    }

    /// The limits of a recording archive. The least recently used entries are removed first.
    public struct Capacity: Hashable, Sendable {
        /// The maximum length of the file, in bytes; nil: any. It is exceeded briefly, until the next removal and compaction have run, which free
        /// an eighth of it.
        public var bytes: UInt64?
        /// The maximum number of captures, redirects included; nil: any number.
        public var entries: Int?

        /// Creates limits; nil for none.
        ///
        /// - Parameters:
        ///   - bytes: the length of the file.
        ///   - entries: the number of captures.
        public init(bytes: UInt64? = nil, entries: Int? = nil) {
            self.bytes = bytes
            self.entries = entries
        }
    }
}
