// SPDX-License-Identifier: Apache-2.0

import ArchiveMutation
import Mutation

/// The mutator of the targets whose input is an archive.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateArchive(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
    var random = MutationRandom(seed: seed)
    return replaceInput(data, count, limit) { mutatedArchive($0, limit, &random) }
}
