// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

/// Tests of collections of WACZ files.
@Suite struct WACZCollectionTests {
    private let imported = ImportedFiles()
    private var folder: TemporaryFolder { imported.folder }

    /// Makes a WACZ file with a response and a page.
    private func part(_ name: String, deflates: Bool = false) throws -> [UInt8] {
        var zip = PythonZIP(folder: folder)
        zip.deflates = deflates
        let package = #"{"profile": "data-package", "title": "Part \#(name)", "mainPageUrl": "http://\#(name)/"}"#
        let path = try zip(
            "made",
            [
                ("archive/data.warc.gz", try imported.gzip(ImportedFiles.response("http://\(name)/", name))),
                ("pages/pages.jsonl", Array(#"{"url": "http://\#(name)/", "ts": "2020-01-01T00:00:00Z"}"#.utf8)),
                ("datapackage.json", Array(package.utf8)),
            ])
        return try folder.read(FilePath(path.string).lastComponent?.string ?? "")
    }

    private func hash(_ bytes: [UInt8]) throws -> String {
        String(try ExternalTool.run(["sha256sum"], input: Data(bytes)).text.prefix(64))
    }

    private func description(_ resources: String..., profile: String = "multi-wacz-package") -> [UInt8] {
        Array(
            #"{"profile": "\#(profile)", "title": "All", "resources": [\#(resources.joined(separator: ", "))]}"#.utf8)
    }

    private func run(
        _ path: FilePath, _ change: (inout ArchiveImporter.Options) -> Void = { _ in }
    ) throws -> ArchiveImporter.Summary {
        var options = ArchiveImporter.Options()
        change(&options)
        return try ArchiveImporter(into: imported.path, options: options).run([path])
    }

    /// A file as Browsertrix makes it: the WACZ files of several crawls, with their digests.
    @Test(arguments: [false, true]) func members(_ deflates: Bool) throws {
        let (a, b) = (try part("a"), try part("b", deflates: true))
        var zip = PythonZIP(folder: folder)
        zip.deflates = deflates
        let path = try zip(
            "all.wacz",
            [
                ("b.wacz", b), ("a.wacz", a),
                (
                    "datapackage.json",
                    description(
                        #"{"name": "b.wacz", "path": "b.wacz", "hash": "sha256:\#(hash(b))", "bytes": \#(b.count)}"#,
                        #"{"name": "a.wacz", "path": "https://a.test/x/a.wacz?key=1", "hash": "\#(hash(a))"}"#)
                ),
            ])
        let summary = try run(path)
        #expect(summary.damage.isEmpty && summary.responses == 2 && summary.pages == 2, "\(summary.damage)")
        #expect(try imported.body("http://a/") == "a" && imported.body("http://b/") == "b")
        let archive = try ArchiveReader(path: imported.path)
        #expect(try archive.metadata()["title"] == "All" && archive.metadata()["mainPage"] == "http://b/")
        #expect(try archive.page(0).page.url == "http://b/")
        _ = try run(path) { $0.keepsOriginals = true }
        let warc = ImportedFiles.response("http://b/", "b") + ImportedFiles.response("http://a/", "a")
        #expect(try imported.exported(isExact: true) == warc)
    }

    /// A collection without a description, or without its profile.
    @Test func structure() throws {
        let members = [("z.WACZ", try part("z")), ("y.wacz", try part("y"))]
        let zip = PythonZIP(folder: folder)
        for more in [[], [("datapackage.json", description(profile: "data-package"))]] {
            let summary = try run(zip("all.wacz", members + more))
            #expect(summary.damage.isEmpty && summary.responses == 2)
            #expect(try ArchiveReader(path: imported.path).page(0).page.url == "http://y/")
        }
    }

    /// Parts beside the description, which is a file by itself or in a ZIP file; others are reported, and none is loaded.
    @Test(arguments: [false, true]) func files(_ isZIP: Bool) throws {
        let (a, b) = (try part("a"), try part("b"))
        try folder.write("a.wacz", a)
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "deep"), withIntermediateDirectories: true)
        try folder.write("deep/b.wacz", b)
        let text = description(
            #"{"path": "./a.wacz", "hash": "sha256:\#(try hash(a))"}"#,
            #"{"path": "deep/b.wacz", "hash": "sha256:\#(try hash(a))"}"#, #"{"path": "none.wacz"}"#,
            #"{"path": "https://b.test/far.wacz"}"#, #"{"path": "notes.txt"}"#)
        let path =
            try isZIP
            ? PythonZIP(folder: folder)("all.wacz", [("datapackage.json", text)]) : folder.write("all.json", text)
        let summary = try run(path)
        #expect(summary.responses == 2 && summary.pages == 2)
        #expect(try imported.body("http://a/") == "a" && imported.body("http://b/") == "b")
        let name = path.string
        #expect(
            summary.damage.compactMap(\.path) == [
                "\(name)!notes.txt", folder.path("deep/b.wacz").string, "\(name)!none.wacz",
                "\(name)!https://b.test/far.wacz",
            ], "\(summary.damage)")
        let ofOther = isZIP ? ArchiveError.Code.damaged : .unsupportedFeature
        #expect(summary.damage.map(\.code) == [ofOther, .damaged, .damaged, .unsupportedFeature])
        #expect(archiveError { _ = try run(path) { $0.isStrict = true } }?.code == ofOther)
    }

    /// One file is imported once, whatever its spelling, and a path that no system has is refused.
    @Test func spellings() throws {
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "d/e"), withIntermediateDirectories: true)
        try folder.write("d/e/a.wacz", part("a"))
        let spellings = ["d/e/a.wacz", "d//e/a.wacz", "d/e//a.wacz", "./d/e/a.wacz"].map { #"{"path": "\#($0)"}"# }
        let list = Array(
            #"{"profile": "multi-wacz-package", "resources": [\#(spellings.joined(separator: ","))]}"#.utf8)
        #expect(try run(folder.write("all.json", list)).responses == 1)
        let marks = String(repeating: "\u{301}\u{323}", count: 50_000)
        let long = try folder.write("long.json", description(#"{"path": "a\#(marks).wacz"}"#))
        #expect(archiveError { _ = try run(long) }?.code == .limitExceeded)
    }

    /// Names that differ in their bytes alone are of different members, one name of two members is reported, and the records beside the parts are imported.
    @Test func membersByBytes() throws {
        let archive = try imported.gzip(ImportedFiles.response("http://own/", "own"))
        let path = try PythonZIP(folder: folder)(
            "all.wacz",
            [
                ("\u{E9}.wacz", part("a")), ("e\u{301}.wacz", part("b")), ("c.wacz", part("c")), ("c.wacz", part("d")),
                ("archive/own.warc.gz", archive), ("datapackage.json", description()),
            ])
        let summary = try run(path)
        #expect(summary.damage.map(\.path) == ["\(path)!c.wacz"] && summary.responses == 4, "\(summary.damage)")
        for name in ["a", "b", "d", "own"] { #expect(try imported.body("http://\(name)/") == name) }
    }

    /// The archive is not readable for more users than a part beside the collection.
    @Test func rights() throws {
        let part = try folder.write("a.wacz", try part("a"))
        #expect(chmod(part.string, 0o600) == 0)
        let path = try folder.write("all.json", description(#"{"path": "a.wacz"}"#))
        #expect(chmod(path.string, 0o644) == 0)
        _ = try run(path)
        let attributes = try FileManager.default.attributesOfItem(atPath: imported.path.string)
        #expect((attributes[.posixPermissions] as? Int ?? 0) & 0o077 == 0)
    }

    /// A description leads to no file outside its folder, and a collection in a collection is refused.
    @Test func hostile() throws {
        let a = try part("a")
        try folder.write("a.wacz", a)
        try FileManager.default.createDirectory(at: folder.url.appending(path: "in"), withIntermediateDirectories: true)
        let absolute = folder.path("a.wacz").string
        let zip = PythonZIP(folder: folder)
        let inner = try folder.read(zip("inner", [("a.wacz", a)]).lastComponent?.string ?? "")
        try folder.write("in/inner.wacz", inner)
        let text = description(
            #"{"path": "../a.wacz"}"#, #"{"path": "\#(absolute)"}"#, #"{"path": "x/../../a.wacz"}"#,
            #"{"path": "inner.wacz"}"#, #"{"path": "all.json#.wacz"}"#, #"{"path": ".wacz"}"#)
        let summary = try run(folder.write("in/all.json", text))
        #expect(summary.responses == 0 && summary.damageCount == 6, "\(summary.damage)")
        #expect(summary.damage[3].message.contains("itself a collection"))
    }

    /// A damaged part is imported as far as possible, and the others as well.
    @Test func damage() throws {
        let (a, b) = (try part("a"), try part("b"))
        let path = try PythonZIP(folder: folder)(
            "all.wacz", [("a.wacz", Array(a.dropLast(30))), ("b.wacz", b), ("c.wacz", Array("c".utf8))])
        let summary = try run(path)
        #expect(summary.damage.map(\.path) == ["\(path)!a.wacz", "\(path)!c.wacz"], "\(summary.damage)")
        #expect(try imported.body("http://b/") == "b")
    }
}
