// SPDX-License-Identifier: Apache-2.0

import ArchiveMutation
import Editions
import Mutation

@testable import WebArchive
@testable import WebArchiveFormat

/// The mutator of what is signed: changes archives with all checksums and trees made right, and signs them with a key that nobody trusts.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateSigned(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
    var random = MutationRandom(seed: seed)
    return replaceInput(data, count, limit) { input in
        guard let first = input.first, let kind = Kind(rawValue: first), random.next(32) > 0 else {
            return start(&random)
        }
        let rest = Array(input.dropFirst())
        let output: [UInt8]
        switch kind {
        case .archive: output = mutatedSigned(rest, limit - 1, &random)
        case .statement: output = mutatedStatement(rest, &random)
        default: output = mutated(rest, min(limit - 1, rest.count + 64))
        }
        return output.count < limit ? [first] + output : start(&random)
    }
}

/// Something that is signed, with which fuzzing goes on.
private func start(_ random: inout MutationRandom) -> [UInt8] {
    let kind = random.next(4) == 0 ? random.next(of: Kind.allCases) : .archive
    let archive = random.next(of: Editions.archives)
    let bytes: [UInt8]
    switch kind {
    case .archive: bytes = archive
    case .statement: bytes = random.next(of: statements(of: archive))
    case .publicKey:
        let key = Publisher.alice.publicKey
        bytes = Array((random.next(2) == 0 ? key.pem : key.description).utf8)
    case .secretKey: bytes = Array(Publisher.stranger.pem.utf8)
    case .endorsement:
        let endorsements = [
            try? Publisher.alice.endorse(Publisher.bob.publicKey),
            try? Publisher.stranger.endorse(Publisher.alice.publicKey),
        ]
        bytes = Array((random.next(of: endorsements)?.pem ?? "").utf8)
    case .sequences: bytes = Array("7 example.org\n18446744073709551615 other%20site\n3 e\u{301}\n".utf8)
    }
    return [kind.rawValue] + bytes
}

private func mutatedSigned(_ archive: [UInt8], _ limit: Int, _ random: inout MutationRandom) -> [UInt8] {
    var output = archive
    for _ in 0...random.next(2) {
        switch random.next(8) {
        case 0...1: output = withPart(of: random.next(of: Editions.archives), in: output, &random)
        case 2...3:
            var own = random
            output = withMutatedStatement(output, { mutatedStatement($0, &own) }, &random)
        default: output = mutatedArchive(output, limit, &random)
        }
    }
    switch random.next(4) {
    case 0: return output
    case 1: return withRightTrees(output, sign: strangerSigns)
    default: return withRightTrees(output, sign: nil)
    }
}

private func strangerSigns(_ message: [UInt8]) -> (key: [UInt8], signature: [UInt8])? {
    guard let signature = try? Publisher.stranger.signature(of: message) else { return nil }
    return (Publisher.stranger.publicKey.bytes, signature)
}

/// A statement with other signatures, endorsements or fields.
private func mutatedStatement(_ bytes: [UInt8], _ random: inout MutationRandom) -> [UInt8] {
    guard bytes.count >= 152, random.next(4) > 0 else { return mutated(bytes, bytes.count + 128) }
    var changed = bytes
    let counts = (signatures: Int(bytes.number(at: 84, width: 2)), endorsements: Int(bytes.number(at: 86, width: 2)))
    switch random.next(7) {
    case 0: changed.setNumber(random.extreme(), at: random.next(of: [48, 56, 64, 72]), width: 8)
    case 1: changed.setNumber(UInt64(random.next(20)), at: 84 + 2 * random.next(2), width: 2)
    case 2:
        guard let (key, signature) = strangerSigns(Array(bytes[..<152])) else { return bytes }
        changed.setNumber(UInt64(counts.signatures + 1), at: 84, width: 2)
        changed.insert(contentsOf: key + signature, at: 152)
    case 3...4:
        let keys = [Publisher.alice, Publisher.bob, Publisher.stranger]
        let (new, old) = (random.next(of: keys).publicKey.bytes, random.next(of: keys).publicKey.bytes)
        let message = SignedStatement.Endorsement.message(for: new)
        guard let signature = try? Publisher.stranger.signature(of: message) else { return bytes }
        changed.setNumber(UInt64(counts.endorsements + 1), at: 86, width: 2)
        changed += new + old + signature
    case 5: changed.replaceSubrange(88..<152, with: mutatedInPlace(Array(bytes[88..<152])))
    default:
        let other = random.next(of: statements(of: random.next(of: Editions.archives)))
        changed = random.next(2) == 0 ? Array(bytes[..<152]) + other[152...] : Array(other[..<152]) + bytes[152...]
    }
    return changed
}
