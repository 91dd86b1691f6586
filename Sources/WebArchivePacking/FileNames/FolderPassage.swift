// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The passage through a folder that need not be readable, only searchable, and through no symbolic link.
enum FolderPassage {
    #if canImport(Darwin)
        /// The flags for `open(2)`.
        static let flags = O_EXEC | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    #else
        // O_PATH, which Swift's module of the C library leaves out.
        /// The value of `O_PATH` on Linux: a descriptor that only locates a folder, for which no right to read it is needed.
        private static let pathOnly: CInt = 0o10_000_000
        /// The flags for `open(2)`.
        static let flags = pathOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    #endif
}
