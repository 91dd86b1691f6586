// SPDX-License-Identifier: Apache-2.0

import Mutation

@testable import WebArchiveUpdates

/// The mutator of patches: takes one apart, changes some of it, and puts it together, often with the promise of the archive that it gives now.
///
/// An input that is no patch is replaced by one of those between the editions.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutatePatch(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
    var random = MutationRandom(seed: seed)
    return replaceInput(data, count, limit) { input in
        let known = KnownPatches.all
        guard var parts = PatchParts(input, for: known.base(of: input).bodies), random.next(64) > 0 else {
            return random.next(of: known.patches)
        }
        guard random.next(32) > 0 else { return mutated(input, limit) }
        for _ in 0...random.next(3) { parts.mutate(&random, others: known.parts) }
        if random.next(3) == 0 { parts.promise() }
        let output = parts.assembled()
        return output.count > limit ? random.next(of: known.patches) : output
    }
}
