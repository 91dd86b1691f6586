// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The files of the device's authority, and who else can reach them.
@Suite struct AuthorityFileTests {
    private let folder: TemporaryFolder
    private let authority: String

    init() throws {
        folder = try TemporaryFolder()
        authority = folder.path("ca").string
    }

    private func create(_ arguments: String...) throws -> ExternalTool.Result {
        try WebarcTool.run(["ca", "create", "--host", "site.example", "--authority", authority] + arguments)
    }

    /// A user namespace makes the files of root, whom everybody trusts, those of a stranger. Without one, root gives a file away.
    private static let hasNamespaces = (try? ExternalTool.run(["unshare", "-Ur", "true"]).status) == 0

    @Test(.enabled(if: hasNamespaces), arguments: [["show"], ["create", "--host", "site.example", "--force"]])
    func theFolderOfAnotherUser(_ arguments: [String]) throws {
        let result = try ExternalTool.run(
            ["unshare", "-Ur", WebarcTool.path, "ca"] + arguments + ["--authority", "/var/lib"])
        #expect(result.status == 64)
        #expect(result.errorText.contains("owned by user ID"), "\(result.errorText)")
    }

    @Test(.enabled(if: geteuid() == 0), arguments: ["", "webarc-ca.key", "webarc-ca.pem"])
    func filesOfAnotherUserAsRoot(_ name: String) throws {
        try #require(try create().status == 0)
        let path = name.isEmpty ? authority : "\(authority)/\(name)"
        try #require(chown(path, 65_534, 65_534) == 0)
        let shown = try WebarcTool.run("ca", "show", "--authority", authority)
        #expect(shown.status == 64)
        #expect(shown.errorText.contains("owned by user ID"), "\(shown.errorText)")
    }

    @Test(arguments: [("", 0o777), ("", 0o770), ("webarc-ca.pem", 0o666), ("webarc-ca.pem", 0o664)])
    func filesThatOthersMayChange(_ name: String, _ permissions: Int) throws {
        try #require(try create().status == 0)
        let path = name.isEmpty ? authority : "\(authority)/\(name)"
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
        let shown = try WebarcTool.run("ca", "show", "--authority", authority)
        #expect(shown.status == 64)
        #expect(shown.errorText.contains("other users can write"), "\(shown.errorText)")
        // Nor is a key written where others may take its place.
        if name.isEmpty { #expect(try create("--force").status == 64) }
    }

    /// A pipe under the name of the key must not hold up the program.
    @Test func aKeyThatIsNoFile() throws {
        try #require(try create().status == 0)
        try FileManager.default.removeItem(atPath: "\(authority)/webarc-ca.key")
        try #require(mkfifo("\(authority)/webarc-ca.key", 0o600) == 0)
        #expect(try WebarcTool.run("ca", "show", "--authority", authority).status == 64)
    }

    /// Many who replace the authority at once, some of whom read it as well.
    @Test func aPairThatMatches() throws {
        try #require(try create().status == 0)
        for round in 0..<3 {
            DispatchQueue.concurrentPerform(iterations: 40) { number in
                let result = Result {
                    try number % 4 > 0 ? create("--force") : WebarcTool.run("ca", "show", "--authority", authority)
                }
                #expect(
                    (try? result.get().status) == 0,
                    "round \(round): \(String(describing: try? result.get().errorText))")
            }
            let keys = try ExternalTool.run([
                "sh", "-c",
                """
                openssl x509 -in '\(authority)/webarc-ca.pem' -noout -pubkey
                openssl pkey -in '\(authority)/webarc-ca.key' -pubout
                """,
            ]).text.components(separatedBy: "-----BEGIN PUBLIC KEY-----")
            #expect(
                keys.count == 3
                    && keys[1].trimmingCharacters(in: .newlines) == keys[2].trimmingCharacters(in: .newlines))
        }
    }
}
