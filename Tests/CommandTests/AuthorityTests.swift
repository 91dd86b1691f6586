// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

/// `webarc ca`, with openssl as the second opinion.
@Suite struct AuthorityTests {
    private let folder: TemporaryFolder
    private let authority: String

    init() throws {
        folder = try TemporaryFolder()
        authority = folder.path("a/b").string
    }

    private func openssl(_ arguments: String...) throws -> ExternalTool.Result {
        try ExternalTool.run(["openssl"] + arguments)
    }

    @Test func aKeyForItsOwnerAlone() throws {
        let created = try WebarcTool.run(
            "ca", "create", "--host", "Site.EXAMPLE", "--host", "127.0.0.1", "--authority", authority)
        #expect(created.status == 0)
        #expect(created.lines == ["\(authority)/webarc-ca.pem"])
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(authority)/webarc-ca.key")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let text = try openssl("x509", "-in", "\(authority)/webarc-ca.pem", "-noout", "-text").text
        #expect(text.contains("CA:TRUE, pathlen:0"))
        #expect(
            text.contains(
                #/X509v3 Name Constraints: critical\s+Permitted:\s+DNS:site\.example\s+IP:127\.0\.0\.1\/255\.255\.255\.255\s+Excluded:\s+DNS:\.site\.example\n/#
            ))
        let fingerprint = try openssl("x509", "-in", "\(authority)/webarc-ca.pem", "-noout", "-fingerprint", "-sha256")
            .text
        let shown = try WebarcTool.run("ca", "show", "--authority", authority).text
        #expect(shown.contains("site.example, 127.0.0.1"))
        #expect(fingerprint.contains(try #require(shown.firstMatch(of: #/SHA-256 +(\S+)/#)?.1)))
    }

    /// The pin is the one that `openssl` computes from the public key, as the documentation of Chromium's switch states.
    @Test func thePinOfTheKey() throws {
        _ = try WebarcTool.run("ca", "create", "--host", "site.example", "--authority", authority)
        let object = try #require(try WebarcTool.run("ca", "show", "--json", "--authority", authority).objects.first)
        let script = """
            openssl x509 -in '\(authority)/webarc-ca.pem' -noout -pubkey | openssl pkey -pubin -outform der \
            | openssl dgst -sha256 -binary | openssl base64
            """
        let pin = try ExternalTool.run(["sh", "-c", script]).text.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(object["pin"] as? String == pin)
        #expect(object["hosts"] as? [String] == ["site.example"])
    }

    @Test func isNotReplacedByChance() throws {
        #expect(try WebarcTool.run("ca", "create", "--host", "a.example", "--authority", authority).status == 0)
        let before = try folder.read("a/b/webarc-ca.pem")
        let refused = try WebarcTool.run("ca", "create", "--host", "b.example", "--authority", authority)
        #expect(refused.status == 73)
        #expect(
            refused.errorText.contains("a certificate authority already exists; replace it with --force")
                && refused.errorText.contains("--authority"))
        #expect(try folder.read("a/b/webarc-ca.pem") == before)
        #expect(
            try WebarcTool.run("ca", "create", "--host", "b.example", "--authority", authority, "--force").status == 0)
        #expect(try folder.read("a/b/webarc-ca.pem") != before)
    }

    @Test(arguments: ["certificate", "key"]) func oneOfTheFilesIsLost(_ lost: String) throws {
        try #require(
            try WebarcTool.run("ca", "create", "--host", "a.example", "--authority", authority).status == 0)
        let name = lost == "key" ? "webarc-ca.key" : "webarc-ca.pem"
        try FileManager.default.removeItem(atPath: "\(authority)/\(name)")
        let shown = try WebarcTool.run("ca", "show", "--authority", authority)
        #expect(shown.status == 64)
        #expect(shown.errorText.contains("\(name): the authority's \(lost) is missing"), "\(shown.errorText)")
        #expect(shown.errorText.contains("webarc ca create --force"))
        if lost == "certificate" {
            let refused = try WebarcTool.run("ca", "create", "--host", "a.example", "--authority", authority)
            #expect(refused.status == 73)
            #expect(refused.errorText.contains("\(name) is missing; replace it with --force"), "\(refused.errorText)")
        }
        #expect(
            try WebarcTool.run("ca", "create", "--host", "a.example", "--authority", authority, "--force").status == 0)
        #expect(try WebarcTool.run("ca", "show", "--authority", authority).status == 0)
    }

    @Test func aKeyThatOthersMayReadIsRefused() throws {
        _ = try WebarcTool.run("ca", "create", "--host", "a.example", "--authority", authority)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(authority)/webarc-ca.key")
        let shown = try WebarcTool.run("ca", "show", "--authority", authority)
        #expect(shown.status == 64)
        #expect(shown.errorText.contains("other users can read the key"))
    }

    @Test func failures() throws {
        #expect(try WebarcTool.run("ca", "create", "--authority", authority).status == 64)
        #expect(try WebarcTool.run("ca", "create", "--host", "a b", "--authority", authority).status == 64)
        #expect(try WebarcTool.run("ca", "show", "--authority", authority).status == 64)
        _ = try WebarcTool.run("ca", "create", "--host", "a.example", "--authority", authority)
        try folder.write("a/b/webarc-ca.pem", Array("nonsense".utf8))
        #expect(try WebarcTool.run("ca", "show", "--authority", authority).status == 64)
    }
}
