// SPDX-License-Identifier: Apache-2.0

import Editions
import Foundation
import Mutation

@testable import WebArchive
@testable import WebArchiveUpdates

extension UpdateManifest {
    /// Changes one of the members.
    mutating func mutate(_ random: inout MutationRandom) {
        switch random.next(16) {
        case 0: version = Int(truncatingIfNeeded: random.extreme())
        case 1: series = random.next(of: ["", "a", series, "é\u{0}", String(repeating: "s", count: random.next(200))])
        case 2: time = Int64(bitPattern: random.extreme())
        case 3: expires = random.next(3) == 0 ? nil : Int64(bitPattern: random.extreme())
        case 4: multiply(&random)
        case 5: editions.swapAt(random.next(editions.count), random.next(editions.count))
        case 6 where editions.count > 1: editions.remove(at: random.next(editions.count))
        case 7 where !patches.isEmpty: patches.remove(at: random.next(patches.count))
        case 8..<12 where !patches.isEmpty: mutate(&patches[random.next(patches.count)], &random)
        default: if !editions.isEmpty { mutate(&editions[random.next(editions.count)], &random) }
        }
    }

    private func mutate(_ edition: inout Edition, _ random: inout MutationRandom) {
        switch random.next(4) {
        case 0: edition.sequence = random.next(2) == 0 ? edition.sequence &+ 1 : random.extreme()
        case 1: edition.identity = anIdentity(&random)
        default: mutate(&edition.file, &random)
        }
    }

    private func mutate(_ patch: inout Patch, _ random: inout MutationRandom) {
        switch random.next(5) {
        case 0: patch.from = anIdentity(&random)
        case 1: patch.to = anIdentity(&random)
        case 2: patch.sha256 = anIdentity(&random)
        default: mutate(&patch.file, &random)
        }
    }

    private func mutate(_ file: inout File, _ random: inout MutationRandom) {
        switch random.next(6) {
        case 0: file.name = String(decoding: mutated(Array(file.name.utf8), 140), as: UTF8.self)
        case 1:
            file.name = random.next(of: [
                "..", "../x", "a/b", "a\\b", "a%2f", "-", "_", ".a", "a.", "C:", "a?b", "a#b", "é", "updates.json",
            ])
        case 2: file.length = random.next(2) == 0 ? UInt64(random.next(4096)) : random.extreme()
        case 3: file.sha256 = anIdentity(&random)
        case 4: file = random.next(of: editions.map(\.file) + patches.map(\.file))
        default: file.length = file.length &+ UInt64(random.next(3)) &- 1
        }
    }

    private func anIdentity(_ random: inout MutationRandom) -> String {
        let known = editions.map(\.identity) + patches.flatMap { [$0.from, $0.to, $0.file.sha256] }
        switch random.next(8) {
        case 0: return String(decoding: mutated(Array(repeating: 0x61, count: 64), 65), as: UTF8.self)
        case 1: return Self.identity(random.next(2000))
        default: return known.isEmpty ? "" : random.next(of: known)
        }
    }

    private static func identity(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.utf8.count) + digits
    }

    /// Makes a net of as many editions and patches as a list may have, and some more.
    private mutating func multiply(_ random: inout MutationRandom) {
        guard let edition = editions.first, let patch = patches.first else { return }
        let count = random.next(of: [10, 99, 100, 101])
        editions = (0..<count).map { number in
            var copy = edition
            copy.sequence = UInt64(1_000_000 - number)
            if number > 0 { copy.identity = Self.identity(number) }
            return copy
        }
        let (patchCount, nodes) = (random.next(of: [50, 999, 1000, 1001]), random.next(of: [2, 10, 100, 1000]))
        patches = (0..<patchCount).map { number in
            var copy = patch
            copy.from =
                number == 0
                ? edition.identity : Self.identity(random.next(2) == 0 ? number % nodes : random.next(nodes))
            copy.to =
                random.next(20) == 0
                ? edition.identity : Self.identity(random.next(2) == 0 ? (number + 1) % nodes : random.next(nodes))
            copy.file.length = UInt64(random.next(of: [0, 1, 100]))
            return copy
        }
    }
}

extension SignedManifest {
    /// Signs any bytes as if they were a list.
    init(payload: [UInt8], key: ArchiveSigningKey) throws(ArchiveError) {
        self = try SignedManifest(
            UpdateManifest(series: "", time: 0, expires: nil, editions: [], patches: []), keys: [key], endorsements: [],
            revocations: [])
        self.payload = Data(payload).base64EncodedString()
        let message = Array("DSSEv1 \(payloadType.utf8.count) \(payloadType) \(payload.count) ".utf8) + payload
        signatures[0].sig = Data(try key.signature(of: message)).base64EncodedString()
    }

    /// The file with signatures or endorsements that are others.
    func mutated(_ random: inout MutationRandom) -> [UInt8] {
        var changed = self
        switch random.next(7) {
        case 0:
            changed.signatures = Array(
                repeating: signatures.first ?? Signature(keyid: "", sig: ""), count: random.next(40))
        case 1:
            changed.signatures.insert(
                Signature(
                    keyid: Data(Publisher.stranger.publicKey.bytes).base64EncodedString(),
                    sig: signatures.first?.sig ?? ""), at: 0)
        case 2: changed.payloadType += "x"
        case 3:
            changed.endorsements =
                (try? [
                    Publisher.stranger.endorse(Publisher.alice.publicKey).pem,
                    Publisher.alice.endorse(Publisher.stranger.publicKey).pem,
                ]) ?? []
        case 4: changed.endorsements = Array(repeating: endorsements?.first ?? "", count: random.next(40))
        case 5:
            changed.endorsements = endorsements?.map {
                String(decoding: Mutation.mutated(Array($0.utf8), 400), as: UTF8.self)
            }
        default: changed.signatures = []
        }
        return (try? changed.encoded()) ?? []
    }
}
