// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

/// Keys, held against those of OpenSSL.
@Suite struct KeyTests {
    private func openssl(_ arguments: [String], input: Data = Data()) throws -> ExternalTool.Result {
        let result = try ExternalTool.run(["openssl"] + arguments, input: input)
        #expect(result.status == 0, "\(result.errorText)")
        return result
    }

    @Test func readsTheKeysOfOpenSSL() throws {
        let secret = try openssl(["genpkey", "-algorithm", "ed25519"]).text
        let key = try ArchiveSigningKey(pem: secret)
        let publicKey = try openssl(["pkey", "-pubout"], input: Data(secret.utf8)).text
        #expect(key.publicKey.pem == publicKey)
        #expect(try ArchivePublicKey(text: publicKey) == key.publicKey)
        #expect(try ArchivePublicKey(text: key.publicKey.description) == key.publicKey)
        #expect(key.pem == secret)
    }

    @Test func openSSLReadsOurKeys() throws {
        let key = ArchiveSigningKey()
        #expect(try openssl(["pkey", "-pubout"], input: Data(key.pem.utf8)).text == key.publicKey.pem)
        #expect(
            try openssl(["pkey", "-pubin", "-pubout"], input: Data(key.publicKey.pem.utf8)).text == key.publicKey.pem)
    }

    @Test func everyKeyIsAnother() { #expect(ArchiveSigningKey().publicKey != ArchiveSigningKey().publicKey) }

    @Test(arguments: ["rsa", "x25519", "ed448"])
    func refusesOtherAlgorithms(_ algorithm: String) throws {
        let secret = try openssl(["genpkey", "-algorithm", algorithm]).text
        #expect(throws: ArchiveError(.invalidArgument, "")) { try ArchiveSigningKey(pem: secret) }
        let publicKey = try openssl(["pkey", "-pubout"], input: Data(secret.utf8)).text
        #expect(throws: ArchiveError(.invalidArgument, "")) { try ArchivePublicKey(text: publicKey) }
    }

    @Test func tellsAnEncryptedKey() throws {
        let secret = try openssl(["genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:secret"]).text
        let error = try #require(throws: ArchiveError.self) { try ArchiveSigningKey(pem: secret) }
        #expect(error.message.contains("encrypted"))
    }

    @Test(arguments: [
        "", "key", "-----BEGIN PUBLIC KEY-----", "MCowBQYDK2VwAyEA",
        "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=AAAA",
    ])
    func refusesOtherTexts(_ text: String) {
        #expect(throws: ArchiveError(.invalidArgument, "")) { try ArchivePublicKey(text: text) }
        #expect(throws: ArchiveError(.invalidArgument, "")) { try ArchiveSigningKey(pem: text) }
    }

    /// The public key of RFC 8032 section 7.1, test 1, as RFC 8410 writes it.
    @Test func theTextOfAKnownKey() throws {
        let bytes = [UInt8](hexadecimal: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
        let key = try #require(ArchivePublicKey(bytes: bytes))
        #expect(key.description == "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=")
    }

    @Test func endorsementsGoThroughText() throws {
        let (old, new) = (ArchiveSigningKey(), ArchiveSigningKey())
        let endorsement = try old.endorse(new.publicKey)
        #expect(try ArchiveEndorsement(pem: endorsement.pem) == endorsement)
        var lines = endorsement.pem.split(separator: "\n").map(String.init)
        lines[1] = (lines[1].hasPrefix("A") ? "B" : "A") + lines[1].dropFirst()
        #expect(throws: ArchiveError(.invalidArgument, "")) {
            try ArchiveEndorsement(pem: lines.joined(separator: "\n"))
        }
        #expect(throws: ArchiveError(.invalidArgument, "")) { try ArchiveEndorsement(pem: old.publicKey.pem) }
    }
}
