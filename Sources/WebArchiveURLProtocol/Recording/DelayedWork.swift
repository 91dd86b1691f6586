// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How work is done later. Tests have their own.
struct DelayedWork: Sendable {
    /// Runs work on a queue after a time.
    let run: @Sendable (Duration, DispatchQueue, @escaping @Sendable () -> Void) -> Void

    static let dispatch = DelayedWork { delay, queue, work in
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: delay.nanoseconds)), execute: work)
    }
}

extension Duration {
    /// Rounded down, and held to 64 bits.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return Int64(clamping: Int128(seconds) * 1_000_000_000 + Int128(attoseconds) / 1_000_000_000)
    }
}

extension ArchiveTime {
    /// The moment by the system's clock.
    @Sendable public static func now() -> ArchiveTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        // Not before 1677, not after 2262, and not the very start of 1970.
        return ArchiveTime(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec)) ?? ArchiveTime(
            nanoseconds: 1)!
    }

    /// A moment that is later, or earlier, as far as 64 bits go.
    func advanced(by nanoseconds: Int64) -> ArchiveTime {
        let (sum, overflows) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        let held = overflows ? (nanoseconds < 0 ? .min : .max) : sum
        return ArchiveTime(nanoseconds: held) ?? ArchiveTime(nanoseconds: 1)!
    }
}
