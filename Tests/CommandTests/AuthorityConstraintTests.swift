// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

/// The dangers that a client that trusts the device's authority is protected from.
@Suite struct AuthorityConstraintTests {
    private let folder: TemporaryFolder
    private let authority: String
    private var certificate: String { "\(authority)/webarc-ca.pem" }

    init() throws {
        folder = try TemporaryFolder()
        authority = folder.path("ca").string
    }

    private func run(_ arguments: String...) throws -> ExternalTool.Result {
        try ExternalTool.run(arguments, in: folder.url)
    }

    private func archive(_ urls: String...) throws -> String {
        let path = folder.path("sample.webarc")
        let writer = try ArchiveWriter(creating: path)
        let body = try writer.addBody(Array("content".utf8))
        for url in urls { try writer.add(ArchiveRequest(url: url), response: ArchiveResponse(), body: body) }
        try writer.commit()
        return path.string
    }

    private func certificateText() throws -> String {
        try run("openssl", "x509", "-in", certificate, "-noout", "-text").text
    }

    /// An empty name in the constraints is every name.
    @Test func hostsOfOtherSchemesDoNotCount() throws {
        let file = try archive(
            "file:///etc/passwd", "x:///y", "https://com/", "https://co.uk/", "https://github.io/", "http://printer/",
            "ftp://files.example/", "https://Site.Example./")
        let created = try WebarcTool.run("ca", "create", file, "--authority", authority)
        #expect(created.status == 0)
        for name in ["com", "co.uk", "github.io", "printer"] { #expect(created.errorText.contains("'\(name)'")) }
        let text = try certificateText()
        #expect(text.contains(#/Permitted:\s+DNS:site\.example\s+Excluded:\s+DNS:\.site\.example\s/#))
        #expect(!text.contains(#/DNS:\s/#))
        // Nor is any address permitted.
        #expect(text.contains("IP:0.0.0.0/0.0.0.0"))
    }

    @Test(arguments: ["file:///etc/passwd", "x:///y", "https://com/"])
    func nothingToSpeakFor(_ url: String) throws {
        #expect(try WebarcTool.run("ca", "create", try archive(url), "--authority", authority).status == 64)
        #expect(!FileManager.default.fileExists(atPath: certificate))
    }

    @Test(arguments: [
        "com", "co.uk", "github.io", "c.kobe.jp", "printer", "", ".", "10.0.0.0/8", "10.0.0.0/255.0.0.0",
        "*.example.org",
        ".example.org", "a..example", "1.2.3", "user@site.example", "site.example:443", "gr\u{FC}n.example",
    ])
    func refusedHosts(_ host: String) throws {
        let created = try WebarcTool.run("ca", "create", "--host", host, "--authority", authority)
        #expect(created.status == 64)
        #expect(!FileManager.default.fileExists(atPath: certificate))
    }

    private func steal(_ host: String) throws {
        try ForgedCertificate.make(for: host, by: authority, in: folder.url)
    }

    private static let go = """
        package main

        import ("crypto/x509"; "encoding/pem"; "fmt"; "os")

        func main() {
            roots := x509.NewCertPool()
            authority, _ := os.ReadFile(os.Args[1])
            roots.AppendCertsFromPEM(authority)
            for _, host := range os.Args[2:] {
                text, _ := os.ReadFile(host + ".pem")
                block, _ := pem.Decode(text)
                leaf, err := x509.ParseCertificate(block.Bytes)
                if err == nil { _, err = leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots}) }
                fmt.Println(host, err == nil)
            }
        }
        """

    /// OpenSSL and Go read the constraints for themselves.
    @Test func namesAreExact() throws {
        let created = try WebarcTool.run(
            "ca", "create", "--host", "site.example", "--host", "top.example", "--host", "a.top.example", "--authority",
            authority)
        try #require(created.status == 0)
        #expect(try certificateText().contains(#/Extended Key Usage: *\n *TLS Web Server Authentication\n/#))
        let hosts = [
            "site.example", "top.example", "a.top.example", "www.site.example", "b.a.top.example", "bank.example",
        ]
        for host in hosts {
            try steal(host)
            let verified = try run(
                "openssl", "verify", "-purpose", "sslserver", "-verify_hostname", host, "-CAfile", certificate,
                "\(host).pem")
            #expect((verified.status == 0) == hosts.prefix(3).contains(host), "\(host): \(verified.errorText)")
        }
        try folder.write("verify.go", Self.go.utf8)
        let verified = try ExternalTool.run(
            ["go", "run", "verify.go", certificate] + hosts, in: folder.url,
            environment: ProcessInfo.processInfo.environment.merging(["GOCACHE": folder.path("go").string]) { $1 })
        #expect(verified.status == 0, "\(verified.errorText)")
        #expect(verified.text == hosts.map { "\($0) \(hosts.prefix(3).contains($0))\n" }.joined())
    }

    /// An authority for servers cannot sign for anything else, whatever a certificate below it says.
    @Test func onlyForServers() throws {
        _ = try WebarcTool.run("ca", "create", "--host", "site.example", "--authority", authority)
        try steal("site.example")
        let verified = try run("openssl", "verify", "-purpose", "smimesign", "-CAfile", certificate, "site.example.pem")
        #expect(verified.status != 0)
    }

    /// Made by hand, or by an earlier version.
    @Test(arguments: [nil, "permitted;DNS:example", "permitted;IP:10.0.0.0/255.0.0.0"])
    func anAuthorityForMoreThanHostsIsRefused(_ constraints: String?) throws {
        try FileManager.default.createDirectory(
            atPath: authority, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let options = constraints.map { ["-addext", "nameConstraints=critical,\($0)"] } ?? []
        let made = try ExternalTool.run(
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                "\(authority)/webarc-ca.key", "-out", certificate, "-subj", "/CN=wide",
            ] + options)
        try #require(made.status == 0, "\(made.errorText)")
        for file in ["\(authority)/webarc-ca.key", certificate] {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        }
        let shown = try WebarcTool.run("ca", "show", "--authority", authority)
        #expect(shown.status == 64)
        #expect(shown.errorText.contains("more than individual hosts"), "\(shown.errorText)")
    }
}
