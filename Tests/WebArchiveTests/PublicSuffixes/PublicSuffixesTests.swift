// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Public suffixes, with the program of libpsl as the second opinion.
@Suite struct PublicSuffixesTests {
    /// Rules that have been in the list for years: plain, wildcard, exception, of both parts, and in Punycode.
    @Test func asLibpslHasThem() throws {
        let names = [
            "com", "example", "example.com", "b.example.com", "biz", "domain.biz", "uk.com", "example.uk.com", "ac",
            "test.ac",
            "mm", "c.mm", "b.c.mm", "jp", "test.jp", "ac.jp", "test.ac.jp", "kyoto.jp", "ide.kyoto.jp",
            "b.ide.kyoto.jp",
            "kobe.jp", "c.kobe.jp", "b.c.kobe.jp", "city.kobe.jp", "www.city.kobe.jp", "ck", "test.ck", "b.test.ck",
            "www.ck",
            "www.www.ck", "us", "test.us", "ak.us", "test.ak.us", "k12.ak.us", "test.k12.ak.us", "github.io",
            "someone.github.io", "amazonaws.com", "s3.amazonaws.com", "bucket.s3.amazonaws.com",
            "compute.amazonaws.com",
            "a.compute.amazonaws.com", "xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn", "xn--85x722f.cn", "xn--fiqs8s",
        ]
        let responses = try ExternalTool.run(["psl", "--is-public-suffix"] + names)
        try #require(responses.status == 0, "Tools/setup --tests installs psl")
        #expect(
            responses.text == names.map { "\($0): \(PublicSuffixes.standard.contains($0) ? 1 : 0)\n" }.joined())
    }

    @Test func suffixesBelow() {
        #expect(PublicSuffixes.standard.areBelow("amazonaws.com"))
        #expect(!PublicSuffixes.standard.areBelow("example.com"))
    }
}
