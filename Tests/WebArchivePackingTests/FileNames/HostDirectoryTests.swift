// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive

@testable import WebArchivePacking

@Suite struct HostDirectoryTests {
    @Test(arguments: [
        ("https://example.org/a", "example.org"), ("http://example.org/a", "http_example.org"),
        ("https://example.org:8443", "example.org_8443"), ("http://localhost:8080", "http_localhost_8080"),
        ("http://h:443", "http_h_443"), ("https://h:80", "h_80"), ("https://h:0", "h_0"), ("https://a_b", "a_b"),
        ("https://a_b:1", "a_b_1"),
        // The facts that the simple name would state wrongly.
        ("https://h_80", "%webarc%https:^2F^2Fh_80"), ("https://http_h", "%webarc%https:^2F^2Fhttp_h"),
        ("http://http_h", "http_http_h"),
        ("https://h_443", "h_443"), ("https://h_080", "h_080"), ("https://h_65536", "h_65536"), ("https://h_", "h_"),
        ("https://_80", "_80"),
        ("https://.", "%webarc%https:^2F^2F."), ("https://..", "%webarc%https:^2F^2F.."),
        ("https://%25webarc%25", "%webarc%https:^2F^2F%25webarc%25"),
        ("https://[::1]:81", "%webarc%https:^2F^2F[::1]:81"), ("http://u:p@h", "%webarc%http:^2F^2Fu:p@h"),
        ("https://@h", "%webarc%https:^2F^2F@h"),
        ("https://a%2Fb", "%webarc%https:^2F^2Fa%2Fb"), ("ftp://h/x", "%webarc%ftp:^2F^2Fh"),
        ("foo://", "%webarc%foo:^2F^2F"),
        ("dns:example.org", "%webarc%dns:"), ("file:///a", "%webarc%file:^2F^2F"), ("https://con", "con"),
        ("https://h.", "h."),
    ])
    func examples(url: String, name: String) throws {
        let url = try CanonicalURL(url)
        let hosts = HostDirectory()
        #expect(hosts.directory(of: url) == [Array(name.utf8)], "\(shown(hosts.directory(of: url)))")
        let found = try hosts.site(of: [Array(name.utf8), [0x61]])
        #expect(found.site.root == url.root)
        #expect(Array(found.rest) == [[0x61]])
    }

    @Test(arguments: [
        "", "a b", "A", "http_", "%webarc%", "%webarc%a", "%webarc%https:^2F^2Fh", "%webarc%%webarc%ftp:^2F^2Fh",
        "%webarc%ftp:^2f^2fh",
        "%webarc%ftp:^2F^2Fh^2F", "%webarc%ftp:^2F^2FH", "%webarc%dns:a", "é", "a%", "..", ".", "h^",
        "%webarc%ftp:^2F^2Fh?q", "%webarc%ftp:^2F^2Fh^-",
    ])
    func unknownNames(name: String) {
        #expect(throws: InvalidFileName.unknownHostDirectory) { try HostDirectory().site(of: [Array(name.utf8)]) }
    }

    @Test func noName() {
        #expect(throws: InvalidFileName.emptyPath) { try HostDirectory().site(of: []) }
    }

    @Test func longHosts() throws {
        let names = try URLFileName()
        for host in [
            String(repeating: "a.", count: 130), String(repeating: "a", count: 5_000),
            String(repeating: "a", count: 255),
        ] {
            let url = try CanonicalURL("https://\(host)/x?y")
            let directory = HostDirectory().directory(of: url)
            #expect(isSafe(directory))
            let found = try HostDirectory().site(of: directory + names.filePath(of: url))
            #expect(try names.url(of: Array(found.rest), at: found.site) == url)
        }
    }

    @Test func wholeURLsComeBack() throws {
        var random = FileNameTestRandom()
        let hosts = HostDirectory()
        let names = try URLFileName()
        var seen: [[[UInt8]]: CanonicalURL] = [:]
        for _ in 0..<1_500 {
            let pieces = ["http", "_", "h", "80", "443", ".", "con", "%2F", "-", "0", "%25webarc%25"]
            let host = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let scheme = ["http", "https", "ftp", "foo"].randomElement(using: &random) ?? ""
            let port = ["", ":80", ":443", ":8", ":0"].randomElement(using: &random) ?? ""
            let user = ["", "", "", "u@"].randomElement(using: &random) ?? ""
            let tail = ["", "/", "/a", "/a?b", "//"].randomElement(using: &random) ?? ""
            let url = try CanonicalURL("\(scheme)://\(user)\(host)\(port)\(tail)")
            let filePath = hosts.directory(of: url) + names.filePath(of: url)
            try #require(isSafe(filePath), "\(url) seed \(random.seed)")
            let found = try hosts.site(of: filePath)
            try #require(try names.url(of: Array(found.rest), at: found.site) == url, "\(url) seed \(random.seed)")
            try #require(seen.updateValue(url, forKey: filePath) ?? url == url, "\(url) seed \(random.seed)")
        }
    }
}
