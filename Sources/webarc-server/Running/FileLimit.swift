// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The limit of open files of this process.
enum FileLimit {
    /// Raises the limit: every connection takes a descriptor, and many systems begin with 1024.
    ///
    /// - Returns: the limit.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        let former = limit.rlim_cur
        limit.rlim_cur = min(limit.rlim_max, 1 << 20)
        let isRaised = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return Int(clamping: isRaised ? limit.rlim_cur : former)
    }
}
