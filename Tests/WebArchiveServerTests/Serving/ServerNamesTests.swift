// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import TestSupport
import Testing

@testable import WebArchiveServer

/// Under which names archives are answered: a page whose name resolves here (DNS rebinding) must not read them.
@Suite struct ServerNamesTests {
    private func status(_ server: TestServer, _ host: String) throws -> String {
        try server.curl(
            "--header", "Host: \(host)", "--write-out", "%{http_code}", "--output", "/dev/null",
            server.url("/style.css")
        ).text
    }

    @Test func archivesAreThereUnderOwnNamesOnly() throws {
        let sample = try ReplaySample()
        var options = ReplayService.Options()
        options.ownNames = ["Kiosk.local", "192.0.2.7"]
        let server = try TestServer([sample.path], options: options)
        for host in [
            "localhost", "localhost:1", "site.localhost", "127.0.0.1", "127.1.2.3:80", "[::1]:8080", "KIOSK.local:80",
            "kiosk.local.", "192.0.2.7",
        ] {
            #expect(try status(server, host) == "200", "\(host)")
        }
        for host in [
            "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.evil", "kiosk.local.evil.example",
            "192.0.2.8", "10.0.0.1:8080", "[2001:db8::1]", "site.example", "0.0.0.0",
        ] {
            #expect(try status(server, host) == "421", "\(host)")
        }
        // No browser sends it.
        #expect(try server.exchange("GET /style.css HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        #expect(
            try server.exchange(
                "GET http://evil.example/style.css HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )
            .hasPrefix("HTTP/1.1 421 "))
    }

    /// On all addresses it is known by those of this machine and by its name.
    @Test func onAllAddresses() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path]) { $0.host = "0.0.0.0" }
        let shown = try ExternalTool.run(["hostname"]).text.trimmingCharacters(in: .whitespacesAndNewlines)
        for device in try System.enumerateDevices() {
            guard case .v4(let address)? = device.address else { continue }
            #expect(try status(server, address.host.isEmpty ? device.address?.ipAddress ?? "" : address.host) == "200")
        }
        #expect(try status(server, shown) == "200")
        #expect(try status(server, "192.0.2.8") == "421")
        #expect(try status(server, "evil.example") == "421")
    }

    /// A browser that uses it as its proxy requests other names, and gets a response; one that DNS led here does not.
    @Test func asAProxy() throws {
        let sample = try ReplaySample()
        let authority = try DeviceAuthority(hosts: ["site.example"], device: "test", now: Date())
        let server = try TestServer([sample.path]) { $0.authority = authority }
        #expect(try status(server, "site.example") == "421")
        let proxied = try server.curl(
            "--proxy", "http://127.0.0.1:\(server.port)", "--output", "/dev/null", "--write-out", "%{http_code}",
            "http://site.example/style.css")
        #expect(proxied.text == "200")
    }
}
