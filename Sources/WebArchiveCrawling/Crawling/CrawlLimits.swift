// SPDX-License-Identifier: Apache-2.0

/// The limits of a crawl, at which it ends before its frontier is empty.
package struct CrawlLimits: Sendable {
    /// A limit that ended a crawl.
    package enum Reached: String, Sendable, CaseIterable {
        case pages, bytes, time, disk, failures
    }

    /// The number of pages, those of earlier runs included; nil, as by default, for any.
    package var pages: Int?
    /// The number of bytes of bodies that are recorded in a run; nil, as by default, for any.
    package var bytes: UInt64?
    /// The time of a run; nil, as by default, for any.
    package var time: Duration?
    /// The free space of the archive's file system, in bytes, below which a run ends; 256 MiB by default.
    package var freeDisk: UInt64 = 256 << 20
    /// The number of pages of a run that could not be loaded; nil, as by default, for any.
    package var failures: Int?

    /// Creates limits.
    package init() {}
}
