// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension ArchiveTime {
    /// Reads the system's clock, `CLOCK_REALTIME`, which may be set back.
    ///
    /// - Returns: the moment; 1 ns after the start of 1970 for a clock outside 1677 to 2262.
    @Sendable public static func now() -> ArchiveTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        // Not before 1677, not after 2262, and not the very start of 1970.
        return ArchiveTime(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec)) ?? ArchiveTime(
            nanoseconds: 1)!
    }
}
