// SPDX-License-Identifier: Apache-2.0

import ArchiveMutator
import FuzzSupport

/// Patches to an archive of a stranger, and from it: one that is made gives the new archive byte for byte.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDiffs(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in RoundTrip(stranger: bytes)?.check() }
}
