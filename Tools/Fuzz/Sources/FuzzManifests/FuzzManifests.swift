// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

/// Lists of updates, most of them signed by a key that the reader trusts: what they may say, and what an updater makes of them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzManifests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in
        guard let list = ListRules(file: bytes) else { return }
        list.check()
        UpdateRules(file: bytes).check()
    }
}
