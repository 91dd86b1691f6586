// SPDX-License-Identifier: Apache-2.0

import NIOCore
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveRecording

@Suite("Store of a recording proxy")
struct StoreTests {
    @Test func manyCommitsAreMerged() async throws {
        let origin = try RawOrigin { request in
            RawOrigin.Response("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let recording = try await TestRecording.start()
        for number in 0..<70 {
            _ = try await recording.proxy.load(ArchiveRequest(url: origin.url("/\(number)")))
            try await recording.proxy.commit()
        }
        #expect(recording.proxy.counts.commits == 70)
        let archive = try await recording.finish()
        #expect(archive.commitCount < 70 && archive.entryCount == 70)
    }

    /// An addition that fails leaves the exchanges pending, and nothing of it in the archive.
    @Test func aFailedAdditionLosesNoExchange() async throws {
        let origin = try RawOrigin { _ in RawOrigin.Response("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        let recording = try await TestRecording.start()
        _ = try await recording.proxy.load(ArchiveRequest(url: origin.url("/a")))
        await #expect(throws: ArchiveError.self) {
            try await recording.proxy.commit { builder, _ throws(ArchiveError) in
                try builder.add(ArchivePage(url: origin.url("/a")))
                throw ArchiveError(.cancelled, "the crawler stopped")
            }
        }
        #expect(FileStatus(of: recording.path) == nil)
        let archive = try await recording.finish()
        #expect(archive.entryCount == 1 && archive.pageCount == 0)
    }

    @Test func specialAddresses() throws {
        for (text, isSpecial) in [
            ("8.8.8.8", false), ("172.15.255.255", false), ("172.16.0.1", true), ("100.64.0.1", true),
            ("100.128.0.1", false),
            ("169.254.169.254", true), ("0.0.0.0", true), ("224.0.0.1", true), ("255.255.255.255", true),
            ("192.168.1.1", true), ("192.169.1.1", false), ("198.18.0.1", true), ("::1", true), ("::", true),
            ("fe80::1", true), ("fc00::1", true), ("ff02::1", true), ("2606:4700::1", false), ("::ffff:10.0.0.1", true),
            ("::ffff:8.8.8.8", false), ("64:ff9b::7f00:1", true), ("64:ff9b::808:808", false), ("2002:7f00:1::", true),
            ("2001:0:1::", true), ("2001:db8::1", true), ("::7f00:1", true),
        ] {
            let address = try SocketAddress(ipAddress: text, port: 80)
            #expect(PrivateAddress.contains(address) == isSpecial, "\(text)")
        }
    }
}
