// SPDX-License-Identifier: Apache-2.0

import Editions
import FuzzSupport

@testable import WebArchive

/// Texts of keys and endorsements: what is read is read again when it is written.
enum KeyCheck {
    static func publicKey(_ bytes: [UInt8]) {
        attempt { () throws(ArchiveError) in
            let key = try ArchivePublicKey(text: String(decoding: bytes, as: UTF8.self))
            expect(key.bytes.count == 32, "a key of \(key.bytes.count) bytes")
            let (one, other) = (try ArchivePublicKey(text: key.pem), try ArchivePublicKey(text: key.description))
            expect(one == key && other == key, "a key that is read otherwise when it is written")
            expect(key.description.utf8.count == 60, "a line of \(key.description.utf8.count) characters")
        }
    }

    static func secretKey(_ bytes: [UInt8]) {
        attempt { () throws(ArchiveError) in
            let key = try ArchiveSigningKey(pem: String(decoding: bytes, as: UTF8.self))
            let again = try ArchiveSigningKey(pem: key.pem)
            expect(
                again.publicKey == key.publicKey && again.pem == key.pem,
                "a key that is read otherwise when it is written")
        }
    }

    static func endorsement(_ bytes: [UInt8]) {
        attempt { () throws(ArchiveError) in
            let endorsement = try ArchiveEndorsement(pem: String(decoding: bytes, as: UTF8.self))
            let again = try ArchiveEndorsement(pem: endorsement.pem)
            expect(again == endorsement, "an endorsement that is read otherwise when it is written")
            guard Editions.trust.keys.contains(endorsement.oldKey) else { return }
            expect(
                endorsement.oldKey == Publisher.alice.publicKey && endorsement.newKey == Publisher.bob.publicKey,
                "an endorsement that nobody made")
        }
    }

    private static func attempt(_ work: () throws(ArchiveError) -> Void) {
        do throws(ArchiveError) {
            try work()
        } catch {
            expect(error.code == .invalidArgument, "not an error of a key: \(error)")
        }
    }
}
