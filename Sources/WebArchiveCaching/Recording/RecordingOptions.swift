// SPDX-License-Identifier: Apache-2.0

public import WebArchive

extension RecordingArchive {
    /// The options of a recording archive.
    public struct Options: Sendable {
        /// The level and the block length of what is written. An archive that exists already keeps its block length.
        public var writing = ArchiveWriter.Options()
        /// The way in which the file is read; `positional` by default, which gives an error where a medium fails.
        public var access = FileByteSource.Access.positional
        /// The rules by which stored exchanges satisfy requests (specification section 8.5); ``MatchRule/exact`` and ``MatchRule/headFromGet`` by
        /// default (RFC 9110 section 9.3.2). Exchanges that wait for a commit do so by these two only.
        public var matching = ArchiveMatcher.Options(rules: [.exact, .headFromGet])
        /// The time that the first exchange waits for others before they are committed; three seconds by default. After a failure it
        /// doubles, up to a minute.
        public var commitInterval = Duration.seconds(3)
        /// Bytes that may wait, 64 MiB by default; more bring about a commit at once, as do 1,000 exchanges or 32 of long bodies. Where
        /// commits fail, the oldest exchanges are dropped beyond four times this; beyond 10,000 exchanges, or 128 of long bodies, they are
        /// in any case.
        public var maximumPendingLength: UInt64 = 64 << 20
        /// Whether captures stay that newer ones of the same request hide, and those of URLs that were removed. False by default:
        /// compacting leaves them out.
        public var keepsHistory = false
        /// The limits beyond which the least recently used responses are removed; none by default.
        public var capacity = Capacity()
        /// The time without a request after which an exchange is removed; nil, as by default: none is. One that was never asked for counts
        /// from its capture on.
        ///
        /// It is looked for every eighth of this time, at least every hour. Times of use are kept in a file beside the archive, `.uses`
        /// after its name.
        public var expiry: Duration?
        /// The part of the file, 0 to 1, beyond which it is compacted if that much is taken by what nothing can ask for any more; a half by
        /// default. Less than 64 KiB is not worth it.
        public var wasteLimit = 0.5
        /// The number of commits at which the file is compacted: 2 to 1,024, 32 by default. Each lookup looks into each commit.
        ///
        /// A file whose first commit has 8 MiB or more waits until an eighth of that was added, or until it has 512 commits.
        public var maximumCommitCount = 32
        /// The clock, `ArchiveTime.now` by default: it tells when an exchange was used, when a URL was removed, and what is older than the
        /// expiry.
        public var now: @Sendable () -> ArchiveTime = ArchiveTime.now
        var delay = DelayedWork.dispatch

        /// Creates the default options.
        public init() {}
    }

    /// The limits of a recording archive. The entries that were asked for least recently are removed first.
    public struct Capacity: Hashable, Sendable {
        /// The length of the file, in bytes; nil: any. It is passed for moments, until the next removal and compaction have run, which free
        /// an eighth of it.
        public var bytes: UInt64?
        /// The number of captures, redirects included; nil: any number.
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
