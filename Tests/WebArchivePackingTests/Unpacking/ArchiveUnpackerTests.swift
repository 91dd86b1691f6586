// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchivePacking

@Suite struct ArchiveUnpackerTests {
    let test = PackingTest()

    /// An archive with one response for each URL.
    private func make(_ urls: [String], text: (String) -> String = { $0 }) throws {
        let writer = try ArchiveWriter(creating: test.archive)
        for url in urls {
            let body = try writer.addBody(Array(text(url).utf8))
            try writer.add(ArchiveRequest(url: url), response: ArchiveResponse(), body: body)
        }
        try writer.commit()
    }

    private func files(in name: String = "out") throws -> [String] {
        let found = try ExternalTool.run(["find", ".", "-type", "f"], in: test.folder.url.appendingPathComponent(name))
        return found.text.split(separator: "\n").map { String($0.dropFirst(2)) }.sorted()
    }

    @Test func hostileURLsStayInside() throws {
        let urls = [
            "http://h/../../../etc/passwd", "http://h/%2e%2e/%2e%2e/x", "http://h/..%2f..%2fy", "http://h//etc/z",
            "http://h/a\\..\\..\\b", "http://h/%00", "http://h/c%2Fd", "http://h/a/%2F/..%2F", "http://h/?../../q",
            "http://h/" + String(repeating: "long", count: 200),
        ]
        try make(urls)
        let summary = try test.unpack(to: "inner/out")
        #expect(summary.failures.isEmpty)
        #expect(summary.files == urls.count)
        // Everything lies below the destination, and nothing beside it.
        #expect(try files(in: "inner").allSatisfy { $0.hasPrefix("out/") })
        #expect(try files(in: "inner").count == urls.count)
    }

    @Test func aLinkInTheDestinationIsNotFollowed() throws {
        try make(["http://h/a/b.txt", "http://h/c.txt"])
        try test.folder.write("outside/keep", "x".utf8)
        try test.folder.write("out/x", "x".utf8)
        let files = FileManager.default
        try files.createSymbolicLink(
            atPath: test.folder.path("out/a").string, withDestinationPath: test.folder.path("outside").string)
        try files.createSymbolicLink(
            atPath: test.folder.path("out/c.txt").string, withDestinationPath: test.folder.path("outside/new").string)
        let summary = try test.unpack()
        #expect(summary.failures.count == 2)
        #expect(try self.files(in: "outside") == ["keep"])
    }

    @Test func nothingIsOverwrittenWithoutForce() throws {
        try make(["http://h/a.txt", "http://h/b.txt"])
        try test.folder.write("out/a.txt", "mine".utf8)
        let summary = try test.unpack()
        #expect(summary.failures.map(\.error.code) == [.alreadyExists])
        #expect(summary.files == 1)
        #expect(try test.folder.read("out/a.txt") == Array("mine".utf8))
        #expect(try test.folder.read("out/b.txt") == Array("http://h/b.txt".utf8))
        #expect(try test.unpack { $0.overwrites = true }.failures.isEmpty)
        #expect(try test.folder.read("out/a.txt") == Array("http://h/a.txt".utf8))
        #expect(try files() == ["a.txt", "b.txt"])
    }

    @Test func progressReachesTheTotalWhenFilesFail() throws {
        try make((0..<100).map { "http://h/\($0).txt" })
        for number in 0..<70 { try test.folder.write("out/\(number).txt", "mine".utf8) }
        let last = Mutex(WorkProgress())
        let summary = try ArchiveUnpacker(test.reader(), into: test.folder.path("out")).run { progress in
            last.withLock { $0 = progress }
        }
        #expect(summary.files == 30 && summary.failures.count == 70)
        #expect(last.withLock { $0.items == 100 && $0.totalItems == 100 })
    }

    /// Two sites that were packed under addresses of their own do not take each other's names.
    @Test func aFolderOfTheSiteThatWasAppended() throws {
        let bases = ["https://example.org/", "https://example.org/news/"]
        for (number, base) in bases.enumerated() {
            let writer =
                try number == 0 ? ArchiveWriter(creating: test.archive) : ArchiveWriter(appendingTo: test.archive)
            try writer.add(
                ArchiveRequest(url: base), response: ArchiveResponse(), body: writer.addBody(Array(base.utf8)))
            try writer.setMetadata("x-base-url", to: base)
            try writer.commit()
        }
        #expect(try test.unpack().failures.isEmpty)
        #expect(try files() == ["index.html", "news/index.html"])
        #expect(try test.folder.read("out/index.html") == Array(bases[0].utf8))
    }

    /// A query is no folder: what follows it in other URLs are no names below one.
    @Test func aBaseWithAQuery() throws {
        let urls = ["http://a.test/d?x=/a", "http://a.test/d?x=/../a"]
        let writer = try ArchiveWriter(creating: test.archive)
        for url in urls {
            try writer.add(
                ArchiveRequest(url: url), response: ArchiveResponse(), body: writer.addBody(Array(url.utf8)))
        }
        try writer.setMetadata("x-base-url", to: "http://a.test/d?x=/")
        try writer.commit()
        #expect(try test.unpack().failures.isEmpty)
        #expect(try files().count == urls.count)
    }

    /// Files of a few bytes take a block each.
    @Test func manyShortFilesCountAsTheyLieOnADisk() throws {
        try make((0..<100).map { "http://h/\($0)" }, text: { _ in "x" })
        var options = ArchiveUnpacker.Options()
        options.maximumBytes = 100 * 4096 - 1
        let unpacker = ArchiveUnpacker(
            try ArchiveReader(path: test.archive), into: test.folder.path("out"), options: options)
        #expect(failure { _ = try unpacker.run() }?.code == .limitExceeded)
        options.maximumBytes = 100 * 4096
        let enough = ArchiveUnpacker(
            try ArchiveReader(path: test.archive), into: test.folder.path("out"), options: options)
        #expect(try enough.run().files == 100)
    }

    /// Specification section 10: 255 folders above a file, with that of its host.
    @Test(arguments: [
        (255, ArchiveUnpacker.Options.Layout.flat, true), (256, .flat, false), (254, .host, true), (255, .host, false),
    ])
    func deepFiles(folders: Int, layout: ArchiveUnpacker.Options.Layout, isUnpacked: Bool) throws {
        try make(["https://a.test/" + String(repeating: "d/", count: folders) + "f.html"])
        let summary = try test.unpack { $0.layout = layout }
        #expect(summary.failures.isEmpty == isUnpacked)
    }

    @Test func severalHostsGetFoldersOfTheirOwn() throws {
        try make(["http://h/a", "https://h/a", "https://i:8080/a"])
        try test.unpack()
        #expect(try files() == ["h/a", "http_h/a", "i_8080/a"])
        #expect(throws: ArchiveError(.invalidArgument, "")) { try test.unpack(to: "flat") { $0.layout = .flat } }
        try test.unpack(to: "one") { options in
            options.urlPrefix = "https://h/"
            options.layout = .flat
        }
        #expect(try files(in: "one") == ["a"])
    }

    @Test func queriesAndFilesBesideFoldersAreToldApart() throws {
        let urls = ["http://h/a", "http://h/a/b", "http://h/a?x=1", "http://h/a?x=2", "http://h/a/"]
        try make(urls)
        #expect(try test.unpack().failures.isEmpty)
        let contents = try files().map { String(decoding: try test.folder.read("out/\($0)"), as: UTF8.self) }
        #expect(contents.sorted() == urls.sorted())
    }

    /// A file that unpacking gave an escaped name is packed again under the URL that it had.
    @Test(arguments: [
        ["http://localhost/a", "http://localhost/a/b"], ["http://localhost/a/", "http://localhost/a//"],
        ["http://localhost/a//", "http://localhost/a/x"], ["http://localhost/a/b", "http://localhost/a/b/c/d"],
        ["http://localhost/%25webarc%25a%5E-", "http://localhost/b"],
        ["http://localhost/" + String(repeating: "n", count: 300), "http://localhost/x"],
    ]) func escapedNamesArePackedAgain(urls: [String]) throws {
        try make(urls)
        #expect(try test.unpack().failures.isEmpty)
        let again = test.folder.path("again.webarc")
        _ = try ArchivePacker([test.folder.path("out")], into: again, options: ArchivePacker.Options()).run()
        let reader = try ArchiveReader(path: again)
        for url in urls { #expect(try reader.entry(for: url)?.role == .exchange, "\(url)") }
        let files = try reader.entries().filter { try $0.role == .exchange }
        #expect(try Set(files.map { try $0.key }) == Set(urls))
    }

    /// An empty folder is in the way of a file as well.
    @Test func anEscapedNameBesideAnEmptyFolder() throws {
        try test.write("%webarc%a^-", "one")
        try FileManager.default.createDirectory(
            atPath: test.folder.path("site/a").string, withIntermediateDirectories: false)
        try test.pack()
        #expect(try test.text("http://localhost/a") == "one")
    }

    @Test func aSiteWithoutFiles() throws {
        try FileManager.default.createDirectory(atPath: test.site.string, withIntermediateDirectories: false)
        try test.pack()
        #expect(try test.unpack().failures.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: test.folder.path("out").string).isEmpty)
    }

    @Test func timesComeBack() throws {
        try test.write("a.txt", "a")
        let path = test.folder.path("site/a.txt").string
        #expect(try ExternalTool.run(["touch", "-d", "2001-02-03 04:05:06.789012345 UTC", path]).status == 0)
        try test.pack()
        try test.unpack()
        let times = try ["site", "out"].map {
            try ExternalTool.run(["stat", "-c", "%y", test.folder.path("\($0)/a.txt").string]).text
        }
        #expect(times[0] == times[1])
        #expect(times[0].contains("04:05:06.789012345"))
    }

    @Test func aDamagedBodyIsLeftOutAndTheRestComesOut() throws {
        var generator = SeededGenerator.forTest()
        // Bytes that do not compress lie in the file as they are, where they can be found and changed.
        let bodies = (0..<5).map { _ in generator.bytes(9_000) }
        for (number, body) in bodies.enumerated() { try test.write("\(number).bin", body) }
        try test.pack()
        var bytes = try test.folder.read("site.webarc")
        let place = try #require(bytes.firstRange(of: bodies[2].prefix(64)))
        bytes[place.lowerBound + 10] ^= 0x20
        try test.folder.write("site.webarc", bytes)
        let summary = try test.unpack()
        #expect(summary.failures.map(\.url) == ["http://localhost/2.bin"])
        #expect(summary.failures.first?.error.code == .damaged)
        #expect(summary.failures.first?.error.offset == UInt64(place.lowerBound))
        #expect(try files() == ["0.bin", "1.bin", "3.bin", "4.bin"])
    }
}
