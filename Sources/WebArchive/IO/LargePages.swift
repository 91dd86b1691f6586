// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#endif

extension UnsafeMutableRawBufferPointer {
    /// Allocates memory of some mebibytes that will be filled from end to end: a page fault for every 2 MiB instead of
    /// every 4 KiB, where the system can do that.
    ///
    /// - Parameter count: the number of bytes; less than 2 MiB are allocated as usual.
    /// - Returns: memory that is not initialised, to be deallocated by the caller.
    package static func allocateInLargePages(_ count: Int) -> UnsafeMutableRawBufferPointer {
        let pageLength = 2 << 20
        guard count >= pageLength else { return .allocate(byteCount: count, alignment: 64) }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: pageLength)
        #if canImport(Glibc)
            // A hint without consequences if it is refused.
            madvise(bytes.baseAddress, count, MADV_HUGEPAGE)
        #endif
        return bytes
    }
}
