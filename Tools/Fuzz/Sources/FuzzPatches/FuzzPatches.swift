// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

/// A patch of a stranger, applied to archives that are signed: it gives the archive that it promises, or nothing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPatches(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in PatchRules(patch: bytes).check() }
}
