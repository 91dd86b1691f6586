// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    package import Darwin
#else
    package import Glibc
#endif

extension stat {
    /// When the contents were last modified.
    package var modificationTime: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }

    /// When the contents or what the system keeps about the file last changed.
    package var changeTime: timespec {
        #if canImport(Darwin)
            st_ctimespec
        #else
            st_ctim
        #endif
    }
}
