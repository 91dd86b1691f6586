// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

@Suite struct WACZImportTests {
    private let imported = ImportedFiles()
    private let first = ImportedFiles.response("http://a/", "one")
    private let second = ImportedFiles.response("http://a/2", "two")

    private static func text(_ lines: String...) -> [UInt8] { Array((lines.joined(separator: "\n") + "\n").utf8) }

    /// Imports a WACZ file that Python makes.
    private func wacz(
        _ members: [(String, [UInt8])], _ options: ArchiveImporter.Options = ArchiveImporter.Options(),
        make: (inout PythonZIP) -> Void = { _ in }
    ) throws -> ArchiveImporter.Summary {
        var zip = PythonZIP(folder: imported.folder)
        make(&zip)
        return try ArchiveImporter(into: imported.path, options: options).run([zip("x.wacz", members)])
    }

    private func pages() throws -> [(page: ArchivePage, text: String?)] {
        let archive = try ArchiveReader(path: imported.path)
        return try (0..<archive.pageCount).map {
            let stored = archive.page($0)
            return (try stored.page, try stored.text.map { String(decoding: try $0.bytes(), as: UTF8.self) })
        }
    }

    @Test(arguments: [false, true]) func everyPart(_ deflates: Bool) throws {
        let package = """
            {"profile": "data-package", "wacz_version": "1.1.1", "title": "A title", "description": "Ein Archiv — alt",
             "created": "2021-02-03T04:05:06Z", "mainPageUrl": "http://a/", "resources": []}
            """
        let summary = try wacz(
            [
                ("archive/b.warc.gz", try imported.gzip(second)), ("archive/deep/a.warc", first),
                ("archive/readme.txt", Array("x".utf8)), ("indexes/index.cdx.gz", [1, 2, 3]),
                ("pages/extraPages.jsonl", Self.text(#"{"url": "http://a/2", "ts": "20200101000001"}"#)),
                (
                    "pages/pages.jsonl",
                    Self.text(
                        #"{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}"#, "",
                        #"{"id": "1", "url": "http://a/", "ts": "2020-01-01T00:00:00Z", "title": "Grüße", "#
                            + #""text": "die Seite", "seed": true, "depth": 2, "status": 200}"#,
                        #"{"url": "http://a/2", "ts": "2020-01-01T00:00:01.000Z"}"#)
                ),
                ("datapackage.json", Array(package.utf8)),
            ]
        ) { $0.deflates = deflates }
        #expect(summary.damage.isEmpty && summary.responses == 2 && summary.pages == 2 && summary.signedSources == 0)
        #expect(try imported.body("http://a/") == "one" && imported.body("http://a/2") == "two")
        let pages = try pages()
        #expect(pages.map(\.page.url) == ["http://a/", "http://a/2"] && pages.map(\.text) == ["die Seite", nil])
        let page = pages[0].page
        #expect(page.title == "Grüße" && page.isSeed && page.depth == 2 && page.status == 200)
        #expect(page.time?.nanoseconds == 1_577_836_800_000_000_000)
        let metadata = try ArchiveReader(path: imported.path).metadata()
        #expect(metadata["title"] == "A title" && metadata["description"] == "Ein Archiv — alt")
        #expect(metadata["mainPage"] == "http://a/" && metadata["date"] == "2021-02-03T04:05:06Z")
        #expect(ArchiveVerifier(try ArchiveReader(path: imported.path)).run().isEmpty)
    }

    /// Values that the archive has already stay.
    @Test func appended() throws {
        let builder = try ArchiveWriter(creating: imported.path)
        try builder.setMetadata("title", to: "Mine")
        try builder.commit()
        var options = ArchiveImporter.Options()
        options.appends = true
        let package = #"{"title": "Theirs", "description": "D"}"#
        _ = try wacz([("archive/a.warc", first), ("datapackage.json", Array(package.utf8))], options)
        let metadata = try ArchiveReader(path: imported.path).metadata()
        #expect(metadata["title"] == "Mine" && metadata["description"] == "D")
    }

    /// With originals, an export gives the WARC files again, one after another in the order of their names.
    @Test func originals() throws {
        var options = ArchiveImporter.Options()
        options.keepsOriginals = true
        _ = try wacz([("archive/2.warc.gz", try imported.gzip(second)), ("archive/1.warc", first)], options)
        #expect(try imported.exported(isExact: true) == first + second)
    }

    /// From a pipe.
    @Test func standardInput() throws {
        var zip = PythonZIP(folder: imported.folder)
        zip.isStreamed = true
        let path = try zip("x.wacz", [("archive/a.warc", first)])
        let pipe = imported.folder.path("pipe")
        #expect(try ExternalTool.run(["mkfifo", pipe.string]).status == 0)
        let bytes = try imported.folder.read("x.wacz")
        let writer = Thread {
            try? FileHandle(forWritingTo: URL(fileURLWithPath: pipe.string)).write(contentsOf: Data(bytes))
        }
        writer.start()
        let summary = try ArchiveImporter(into: imported.path).run([pipe])
        #expect(try summary.responses == 1 && imported.body("http://a/") == "one", "\(path)")
    }

    // MARK: - Damage

    private func hash(_ bytes: [UInt8]) throws -> String {
        let output = try ExternalTool.run(["sha256sum"], input: Data(bytes)).text
        return String(output.prefix { $0 != " " })
    }

    private func description(_ members: [(String, [UInt8])]) throws -> [UInt8] {
        let resources = try members.map {
            let hash = try hash($0.1)
            return #"{"name": "x", "path": "\#($0.0)", "hash": "sha256:\#(hash)", "bytes": \#($0.1.count)}"#
        }
        return Array(#"{"resources": [\#(resources.joined(separator: ", "))]}"#.utf8)
    }

    private func digest(of description: [UInt8], signed: Bool = false) throws -> [UInt8] {
        let hash = try hash(description)
        let more = signed ? #", "signedData": {"hash": "x", "signature": "y"}"# : ""
        return Array(#"{"path": "datapackage.json", "hash": "sha256:\#(hash)"\#(more)}"#.utf8)
    }

    @Test func digests() throws {
        let members = [
            ("archive/a.warc", first), ("archive/b.warc.gz", try imported.gzip(second)),
            ("pages/pages.jsonl", Self.text(#"{"url": "http://a/"}"#)),
        ]
        let description = try description(members)
        let whole = try wacz(
            members + [
                ("datapackage.json", description), ("datapackage-digest.json", digest(of: description, signed: true)),
            ])
        #expect(whole.damage.isEmpty && whole.signedSources == 1 && whole.pages == 1)
        for (number, member) in members.enumerated() {
            var changed = members
            changed[number] =
                number == 1
                ? (member.0, try imported.gzip(second + ImportedFiles.response("http://a/3", "three")))
                : (member.0, member.1 + Array("\n".utf8))
            let summary = try wacz(changed + [("datapackage.json", description)])
            #expect(summary.damage.map(\.code) == [.damaged], "\(summary.damage)")
            #expect(summary.damage[0].path == imported.folder.path("x.wacz").string + "!\(member.0)")
            #expect(try imported.body("http://a/") == "one" && imported.body("http://a/2") == "two")
        }
        let wrong = try wacz(
            members + [
                ("datapackage.json", description + [0x20]), ("datapackage-digest.json", digest(of: description)),
            ])
        #expect(wrong.damage.map(\.path) == [imported.folder.path("x.wacz").string + "!datapackage.json"])
    }

    /// A member that the description lists and the file lacks is a fault.
    @Test func missingMembers() throws {
        let description = try description([("archive/a.warc", first), ("archive/b.warc", second)])
        let summary = try wacz([("archive/a.warc", first), ("datapackage.json", description)])
        #expect(summary.damage.map(\.path) == [imported.folder.path("x.wacz").string + "!archive/b.warc"])
        #expect(try imported.body("http://a/") == "one")
    }

    /// Whole members are imported, and each fault has the name of its member and an offset.
    @Test func faultsOfMembers() throws {
        let name = imported.folder.path("x.wacz").string
        var damaged = second
        damaged[2] ^= 0xFF
        let summary = try wacz([
            ("archive/a.warc", first + damaged), ("archive/b.warc", Array("hello".utf8)), ("archive/c.warc", []),
            ("archive/d.warc", second), ("datapackage.json", Array("{".utf8)),
            (
                "pages/pages.jsonl",
                Self.text("no JSON", #"{"url": "no URL"}"#, #"{"url": "http://a/", "ts": [], "status": 1e9}"#, "[]")
            ),
        ])
        #expect(
            summary.damage.compactMap(\.path) == [
                "\(name)!datapackage.json", "\(name)!archive/a.warc", "\(name)!archive/b.warc",
                "\(name)!archive/c.warc", "\(name)!pages/pages.jsonl", "\(name)!pages/pages.jsonl",
                "\(name)!pages/pages.jsonl",
            ], "\(summary.damage)")
        #expect(summary.damage[1].offset == UInt64(first.count) && summary.damage[5].offset == 8)
        #expect(try imported.body("http://a/2") == "two" && pages().map(\.page.url) == ["http://a/"])
    }

    /// A member whose checksum is wrong, and one that reaches beyond the file.
    @Test func faultsOfTheFile() throws {
        _ = try wacz([("archive/a.warc", first), ("archive/b.warc", second)])
        let whole = try imported.folder.read("x.wacz")
        var changed = whole
        let place = try #require(changed.firstRange(of: Array("one".utf8))).lowerBound
        changed[place] = UInt8(ascii: "O")
        let path = try imported.folder.write("changed.wacz", changed)
        let summary = try ArchiveImporter(into: imported.path).run([path])
        #expect(summary.damage.map(\.path) == [path.string + "!archive/a.warc"])
        #expect(try imported.body("http://a/2") == "two")
        for length in [4, 100, whole.count / 2, whole.count - 1] {
            let cut = try imported.folder.write("cut.wacz", whole[..<length])
            let error = archiveError { try ArchiveImporter(into: imported.path).run([cut]) }
            #expect(error?.code == .truncated && error?.path == cut.string && error?.offset == UInt64(length))
        }
    }

    /// A member that ends inside of the head of a record, and whose checksum is wrong as well.
    @Test(.timeLimit(.minutes(1))) func headsBeforeFaults() throws {
        let head = Array("WARC/1.1\r\nWARC-Type: response\r\n".utf8)
        _ = try wacz([("archive/a.warc", first + head), ("archive/b.warc", second)])
        var bytes = try imported.folder.read("x.wacz")
        let place = try #require(bytes.firstRange(of: Array("one".utf8))).lowerBound
        bytes[place] = UInt8(ascii: "O")
        let summary = try ArchiveImporter(into: imported.path).run([imported.folder.write("changed.wacz", bytes)])
        #expect(summary.damage.map(\.code) == [.damaged])
        #expect(try imported.body("http://a/") == "One" && imported.body("http://a/2") == "two")
    }

    @Test func otherZIPFiles() throws {
        #expect(archiveError { _ = try wacz([("a.txt", first)]) }?.code == .notAnArchive)
        #expect(archiveError { _ = try wacz([]) }?.code == .notAnArchive)
    }

    /// A line that never ends takes no more memory than the limit, and the pages after it are there.
    @Test func longLines() throws {
        let long = #"{"url": "http://a/", "text": ""# + String(repeating: "x", count: 17 << 20) + "\"}"
        let summary = try wacz([
            ("archive/a.warc", first), ("pages/pages.jsonl", Self.text(long, #"{"url": "http://a/2"}"#)),
        ])
        #expect(summary.damage.map(\.offset) == [0] && summary.pages == 1)
        #expect(summary.damage[0].message.contains("more than"))
    }
}
