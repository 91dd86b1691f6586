// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive

@testable import WebArchiveServer

/// The hosts for which an authority may speak.
@Suite struct CertificateHostsTests {
    @Test func suffixesBelow() throws {
        let hosts = try CertificateHosts(["amazonaws.com", "shop.amazonaws.com", "example.com", "www.example.com"])
        #expect(hosts.accepted.map(\.text) == ["example.com", "shop.amazonaws.com", "www.example.com"])
        #expect(hosts.refused.count == 1)
        #expect(try CertificateHosts(["amazonaws.com"]).refused.isEmpty)
    }

    /// The message is printed for each host of an archive.
    @Test func aRefusalShowsNoMoreThanANameOfDNS() throws {
        let refused = try CertificateHosts([String(repeating: "a", count: 60_000), "com"]).refused.map(\.message)
        #expect(refused.count == 2 && refused.allSatisfy { $0.utf8.count < 400 })
        #expect(refused[0].contains("\(String(repeating: "a", count: 253))…'") && refused[1].contains("'com'"))
    }

    @Test func namesOfThisMachine() throws {
        #expect(try CertificateHosts(["localhost", "app.localhost", "127.0.0.1", "[::1]"]).refused.isEmpty)
        #expect(try CertificateHosts(["intranet", "printer."]).accepted.isEmpty)
    }
}
