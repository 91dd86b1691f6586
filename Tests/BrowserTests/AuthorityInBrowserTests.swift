// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveBrowser

extension BrowserTests {
    /// A Chromium that is no kiosk's, whose user has the device's authority among the trusted ones.
    @Suite(.serialized, .enabled(if: isLinux)) struct AuthorityInBrowserTests {
        private let folder: TemporaryFolder
        private let authority: String

        init() throws {
            folder = try TemporaryFolder()
            authority = folder.path("ca").string
            try folder.write("site/index.html", "<title>Inside</title>".utf8)
            for arguments in [
                [WebarcTool.path, "pack", "site", "-o", "site.webarc", "--base-url", "https://site.example/"],
                [WebarcTool.path, "ca", "create", "--host", "site.example", "--authority", "ca"],
            ] { try run(arguments) }
        }

        private func run(_ arguments: [String]) throws {
            let result = try ExternalTool.run(arguments, in: folder.url)
            try #require(result.status == 0, "\(arguments): \(result.errorText)")
        }

        /// Has the user trust the authority for servers, in the database of NSS that Chromium reads.
        private func trustAuthority() throws {
            try folder.write("home/.pki/nssdb/.keep", [])
            let database = "sql:home/.pki/nssdb"
            try run(["certutil", "-N", "-d", database, "--empty-password"])
            try run(["certutil", "-A", "-d", database, "-n", "webarc", "-t", "C,,", "-i", "ca/webarc-ca.pem"])
        }

        /// Loads a page, and returns its document and the messages of the browser.
        private func load(_ url: String, _ options: String...) throws -> ExternalTool.Result {
            let home = try folder.write("home/.keep", []).removingLastComponent().string
            let command =
                try InstalledBrowser.find().command + [
                    "--headless", "--disable-gpu", "--user-data-dir=\(home)/profile", "--disable-background-networking",
                ] + (geteuid() == 0 ? ["--no-sandbox"] : []) + options + ["--dump-dom", url]
            let environment = ProcessInfo.processInfo.environment.merging(["HOME": home]) { $1 }
            return try ExternalTool.run(["timeout", "120"] + command, in: folder.url, environment: environment)
        }

        @Test(arguments: [true, false]) func theProxy(_ isTrusted: Bool) throws {
            if isTrusted { try trustAuthority() }
            let server = try RunningTool([
                WebarcTool.path, "serve", folder.path("site.webarc").string, "--proxy", "--authority", authority,
                "--port", "0",
            ])
            #expect(server.waitForError("(press Ctrl-C to stop)"), "\(server.errorText)")
            let port = try #require(server.errorText.firstMatch(of: #/http://127\.0\.0\.1:(\d+)//#)).1
            let page = try load("https://site.example/", "--proxy-server=http://127.0.0.1:\(port)")
            #expect(page.text.contains("<title>Inside</title>") == isTrusted, "\(page.text) \(page.errorText)")
            #expect(page.errorText.contains("ERR_CERT_AUTHORITY_INVALID") != isTrusted, "\(page.errorText)")
            server.signal(SIGTERM)
            #expect(server.result().status == 0)
        }

        /// Somebody with the authority's key has a certificate for any host; Chromium refuses those outside of the constraints.
        @Test(arguments: [("site.example", true), ("www.site.example", false), ("bank.example", false)])
        func aStolenKey(_ host: String, _ isPermitted: Bool) throws {
            try trustAuthority()
            try ForgedCertificate.make(for: host, by: authority, in: folder.url)
            let files = (certificate: folder.path("\(host).pem"), key: folder.path("\(host).key"))
            // It prints its port to standard output.
            let server = try RunningTool([
                "sh", "-c", "exec openssl s_server -accept 127.0.0.1:0 -cert \"$0\" -key \"$1\" -www >&2",
                files.certificate.string, files.key.string,
            ])
            #expect(server.waitForError("ACCEPT 127.0.0.1:"), "\(server.errorText)")
            let port = try #require(server.errorText.firstMatch(of: #/ACCEPT 127\.0\.0\.1:(\d+)/#)).1
            let page = try load("https://\(host)/", "--host-resolver-rules=MAP \(host) 127.0.0.1:\(port)")
            #expect(page.text.contains("Ciphers supported") == isPermitted, "\(page.text) \(page.errorText)")
            #expect(page.errorText.contains("net::ERR_CERT_INVALID") != isPermitted, "\(page.errorText)")
        }
    }
}
