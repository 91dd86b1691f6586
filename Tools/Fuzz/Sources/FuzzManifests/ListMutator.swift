// SPDX-License-Identifier: Apache-2.0

import Editions
import Foundation
import Mutation

@testable import WebArchive
@testable import WebArchiveUpdates

/// The mutator of lists: changes the list or the JSON that it is, and signs it again with the trusted key. At times it changes the envelope.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateList(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
    var random = MutationRandom(seed: seed)
    return replaceInput(data, count, limit) { input in
        guard let envelope = try? JSONDecoder().decode(SignedManifest.self, from: Data(input)),
            let payload = Data(base64Encoded: envelope.payload)
        else { return ReleaseFolder.files[UpdateManifest.fileName] ?? [] }
        let output: [UInt8]
        switch random.next(12) {
        case 0: output = mutated(input, limit)
        case 1: output = envelope.mutated(&random)
        case 2...5: output = sealed(mutated(Array(payload), payload.count + 256))
        default: output = sealed(mutatedList(Array(payload), &random))
        }
        return output.count > limit ? ReleaseFolder.files[UpdateManifest.fileName] ?? [] : output
    }
}

/// The envelope of a list, which the trusted key signs whatever it is.
private func sealed(_ payload: [UInt8]) -> [UInt8] {
    guard var envelope = try? SignedManifest(payload: payload, key: Publisher.alice) else { return payload }
    if envelope.signatures.isEmpty { envelope.payloadType = "" }
    return (try? envelope.encoded()) ?? payload
}

/// JSON of a list in which a number, a text or a file is another.
private func mutatedList(_ payload: [UInt8], _ random: inout MutationRandom) -> [UInt8] {
    guard var list = try? JSONDecoder().decode(UpdateManifest.self, from: Data(payload)) else {
        return mutated(payload, payload.count + 64)
    }
    for _ in 0...random.next(3) { list.mutate(&random) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    return (try? encoder.encode(list)).map(Array.init) ?? payload
}
