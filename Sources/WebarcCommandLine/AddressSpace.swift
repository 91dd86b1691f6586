// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The limit of this process's address space: `ulimit -v`, RLIMIT_AS.
///
/// A library to which the system refuses memory or a thread ends the process or waits without end. So a limit is looked at first.
package enum AddressSpace {
    /// The memory that a command needs with one thread, in bytes.
    private static let least = 256 << 20
    /// The memory of each further thread: its stack, its part of the heap, and the memory that it works in.
    private static let ofThread = 128 << 20

    /// The limit in bytes; nil without one.
    private static var limit: Int? {
        var limit = rlimit()
        #if canImport(Darwin)
            let isKnown = getrlimit(RLIMIT_AS, &limit) == 0
        #else
            let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0
        #endif
        return isKnown && limit.rlim_cur < rlim_t(Int.max) ? Int(limit.rlim_cur) : nil
    }

    /// Checks the limit.
    ///
    /// - Throws: `io` if the limit is too low for any command.
    static func check() throws(ArchiveError) {
        guard let limit, limit < least else { return }
        throw ArchiveError(
            .io,
            "the address space of \(SizeFormat.bytes(UInt64(limit))) is too small; allow \(SizeFormat.bytes(UInt64(least))) with ulimit -v"
        )
    }

    /// Returns the number of threads that the limit permits, at most `wanted`.
    package static func threads(atMost wanted: Int) -> Int {
        guard let limit else { return wanted }
        return min(wanted, 1 + max(0, limit - least) / ofThread)
    }
}
