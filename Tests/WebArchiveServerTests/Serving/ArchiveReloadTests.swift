// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay
@testable import WebArchiveServer

@Suite struct ArchiveReloadTests {
    private func site(_ text: String, _ name: String, in folder: TemporaryFolder? = nil) throws -> ReplaySample {
        try ReplaySample(name, in: folder, withSite: false) { writer in
            try ReplaySample.add("https://site.example/", "text/plain", Array(text.utf8), writer)
        }
    }

    private func replace(_ old: ReplaySample, with new: ReplaySample) throws {
        #expect(rename(new.path.string, old.path.string) == 0)
    }

    @Test func aNewFileIsTaken() throws {
        let sample = try site("old", "site.webarc")
        let library = try ArchiveLibrary([sample.path])
        let before = library.responder
        #expect(library.reload().taken.isEmpty)
        try replace(sample, with: site("new", "next.webarc", in: sample.folder))
        #expect(library.reload().taken == [sample.path])
        #expect(try library.responder.get("https://site.example/").text == "new")
        // A client of the old archive keeps it: its file is still open.
        #expect(try before.get("https://site.example/").text == "old")
    }

    /// Calls at once are made one after another: the first takes the file, and the others find nothing to do.
    @Test func aNewFileIsTakenOnce() throws {
        let sample = try site("old", "site.webarc")
        let library = try ArchiveLibrary([sample.path])
        // Enough to verify that calls which do not wait for each other meet.
        try replace(sample, with: site(String(repeating: "new ", count: 4 << 20), "next.webarc", in: sample.folder))
        let calls = (0..<4).map { _ in BackgroundThread { library.reload().taken } }
        #expect(try calls.flatMap { try $0.value() } == [sample.path])
        #expect(library.reload().taken.isEmpty)
    }

    @Test func aDamagedFileIsRefused() throws {
        let sample = try site("old", "site.webarc")
        let library = try ArchiveLibrary([sample.path])
        let next = try site(String(repeating: "new ", count: 2000), "next.webarc", in: sample.folder)
        var bytes = try sample.folder.read("next.webarc")
        bytes[200] ^= 1
        try sample.folder.write("next.webarc", bytes)
        try replace(sample, with: next)
        #expect(library.reload().refused.map(\.code) == [.damaged])
        #expect(try library.responder.get("https://site.example/").text == "old")
        for bad in [[], Array("no archive".utf8), Array(bytes.prefix(bytes.count / 2))] as [[UInt8]] {
            try sample.folder.write("bad", bad)
            #expect(rename(sample.folder.path("bad").string, sample.path.string) == 0)
            #expect(library.reload().refused.count == 1)
        }
        #expect(unlink(sample.path.string) == 0)
        #expect(library.reload().refused.count == 1)
        #expect(try library.responder.get("https://site.example/").text == "old")
    }

    /// A kiosk would stand there with a page that says so.
    @Test func aMainPageThatIsMissingIsRefused() throws {
        func named(_ page: String, _ name: String, in folder: TemporaryFolder? = nil) throws -> ReplaySample {
            try ReplaySample(name, in: folder, withSite: false) { writer in
                try ReplaySample.add("https://site.example/start", "text/html", Array(page.utf8), writer)
                try writer.setMetadata("mainPage", to: "https://site.example/\(page)")
            }
        }
        for isRequired in [true, false] {
            let sample = try named("start", "site.webarc")
            var options = ArchiveLibrary.Options()
            options.requiresMainPage = isRequired
            let library = try ArchiveLibrary([sample.path], options: options)
            try replace(sample, with: named("none", "next.webarc", in: sample.folder))
            #expect(library.reload().refused.map(\.code) == (isRequired ? [.notFound] : []))
            #expect(try library.responder.get("https://site.example/start").text == (isRequired ? "start" : "none"))
        }
    }

    @Test func aBadLayerDoesNotKeepOthersBack() throws {
        let top = try ReplaySample("top.webarc", withSite: false) { writer in
            try ReplaySample.add("https://site.example/top", "text/plain", Array("top".utf8), writer)
        }
        let base = try site("old", "base.webarc")
        let library = try ArchiveLibrary([top.path, base.path])
        try top.folder.write("bad", Array("no archive".utf8))
        #expect(rename(top.folder.path("bad").string, top.path.string) == 0)
        try replace(base, with: site("new", "next.webarc", in: base.folder))
        let reload = library.reload()
        #expect(reload.taken == [base.path] && reload.refused.count == 1)
        #expect(try library.responder.get("https://site.example/top").text == "top")
        #expect(try library.responder.get("https://site.example/").text == "new")
    }

    /// Files are swapped again and again while clients ask: every response is whole, and one of the two.
    @Test func noRequestIsDropped() throws {
        let sample = try site("one", "site.webarc")
        let server = try TestServer([sample.path])
        let watch = try watch(server)
        let rounds = 20
        let clients = (0..<2).map { _ in
            BackgroundThread { () throws -> Set<String> in
                var seen = Set<String>()
                let client = try RawClient(port: server.port)
                while server.service.counters[.reloads] < rounds {
                    client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    let response = try client.receive { $0.hasSuffix("one") || $0.hasSuffix("two!") }
                    #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
                    seen.insert(response.hasSuffix("one") ? "one" : "two")
                }
                return seen
            }
        }
        for round in 0..<rounds {
            try replace(sample, with: site(round % 2 == 0 ? "two!" : "one", "next.webarc", in: sample.folder))
            watch.reload()
            wait { server.service.counters[.reloads] > round }
        }
        for client in clients { #expect(try client.value().isSubset(of: ["one", "two"])) }
    }

    private func watch(_ server: TestServer) throws -> ArchiveWatch {
        ArchiveWatch(
            try #require(server.service.library), counters: server.service.counters,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, interval: 5)
    }

    private func wait(_ condition: () -> Bool) {
        let hasHappened = waits(until: condition)
        #expect(hasHappened, "nothing happened")
    }

    /// Without a signal, too; and one that is refused is tried no more until it changes.
    @Test func theWatchFindsANewFile() throws {
        let sample = try site("old", "site.webarc")
        let server = try TestServer([sample.path])
        let counters = server.service.counters
        let watch = try watch(server)
        try sample.folder.write("bad", Array("no archive".utf8))
        #expect(rename(sample.folder.path("bad").string, sample.path.string) == 0)
        wait { counters[.refusedReloads] > 0 }
        try replace(sample, with: site("new", "next.webarc", in: sample.folder))
        wait { counters[.reloads] > 0 }
        #expect(counters[.refusedReloads] == 1)
        #expect(try server.curl(server.url("/")).text == "new")
        withExtendedLifetime(watch) {}
    }

    /// A response that is being sent when the server stops is sent completely; no other client is accepted.
    @Test func stoppingWaitsForAnswers() throws {
        let sample = try ReplaySample { writer in
            var random = SeededGenerator(seed: 8)
            try ReplaySample.add("https://site.example/long", "a/b", random.bytes(20_000_000), writer)
        }
        let server = try TestServer([sample.path])
        let client = try RawClient(port: server.port)
        client.send("GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
        var received = try client.receive().count
        let idle = try RawClient(port: server.port)
        let running = server.server
        let stopping = BackgroundThread { running.stop(within: .seconds(60)) }
        #expect(try idle.receiveAll().isEmpty)
        #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
        received += try client.receiveAll().count
        try stopping.value()
        #expect(received > 20_000_000)
    }
}
