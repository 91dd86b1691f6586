// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchiveServer

/// The hosts for which an authority may speak.
@Suite struct CertificateHostsTests {
    @Test func suffixesBelow() throws {
        let hosts = try CertificateHosts(["amazonaws.com", "shop.amazonaws.com", "example.com", "www.example.com"])
        #expect(hosts.accepted.map(\.text) == ["example.com", "shop.amazonaws.com", "www.example.com"])
        #expect(hosts.refused.count == 1)
        #expect(try CertificateHosts(["amazonaws.com"]).refused.isEmpty)
    }

    @Test func namesOfThisMachine() throws {
        #expect(try CertificateHosts(["localhost", "app.localhost", "127.0.0.1", "[::1]"]).refused.isEmpty)
        #expect(try CertificateHosts(["intranet", "printer."]).accepted.isEmpty)
    }
}
