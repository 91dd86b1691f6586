// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

@Suite struct ZIMImportTests {
    private let imported = ImportedFiles()
    private var folder: TemporaryFolder { imported.folder }

    private func run(
        _ path: FilePath, _ change: (inout ArchiveImporter.Options) -> Void = { _ in }
    ) throws -> ArchiveImporter.Summary {
        var options = ArchiveImporter.Options()
        change(&options)
        return try ArchiveImporter(into: imported.path, options: options).run([path])
    }

    private func entry(_ url: String) throws -> ArchiveEntry? {
        try ArchiveReader(path: imported.path).entry(for: CanonicalURL(url))
    }

    private func urls() throws -> [String] { try ArchiveReader(path: imported.path).entries().map { try $0.key } }

    /// A file of two namespaces, one cluster of each kind, redirects, and an icon.
    static func old(_ folder: TemporaryFolder) -> PythonZIM {
        var zim = PythonZIM(folder: folder)
        zim.entries = [
            .redirect("-/favicon", 4), .blob("A/Main", 0, 0), .redirect("A/Old", 1),
            .blob("A/Ü?#%/ (x)", 1, 1, type: 1), .blob("I/icon.png", 1, 0, type: 2), .blob("M/Creator", 2, 2, type: 1),
            .blob("M/Date", 2, 1, type: 1), .blob("M/Language", 2, 3, type: 1), .blob("M/Title", 2, 0, type: 1),
            .blob("X/index", 1, 0, type: 1),
        ]
        zim.clusters = [
            .init("<p>Main", method: 4), .init("icon", "text", isExtended: true),
            .init("An old file", "2010-02-03", "A creator", "fra,eng", method: 4, isExtended: true),
        ]
        zim.mainPage = 1
        return zim
    }

    // MARK: - Whole files

    /// A file of Debian's writer, which libzim reads as well: every content is the same.
    @Test func aRealWriter() throws {
        let site = ["index.html", "a/b (c), d?.html", "s.css", "big.bin", "icon.png"]
        // A PNG of one pixel is enough for the writer.
        let icon = try #require(
            Data(
                base64Encoded:
                    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))
        let page = "<!DOCTYPE html><html><head><title>T</title></head><body>é"
        try folder.write("site/index.html", page.utf8)
        try folder.write("site/a/b (c), d?.html", (page + "<a href='../index.html'>").utf8)
        try folder.write("site/s.css", "body {}".utf8)
        var generator = SystemRandomNumberGenerator()
        try folder.write("site/big.bin", (0..<700_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        try folder.write("site/icon.png", icon)
        let refresh = #"<html><head><meta http-equiv="refresh" content="0;url=index.html"></head></html>"#
        try folder.write("site/moved.html", refresh.utf8)
        for number in 0..<300 {
            try folder.write("site/many/\(number).txt", String(repeating: "\(number) ", count: 100).utf8)
        }
        let made = try ExternalTool.run(
            [
                "zimwriterfs", "-m", "16", "-w", "index.html", "-I", "icon.png", "-l", "deu", "-t", "A title", "-d",
                "A description", "-c", "A creator", "-p", "A publisher", "site", "x.zim",
            ], in: folder.url)
        try #require(made.status == 0, "\(made.errorText)")
        let summary = try run(folder.path("x.zim"))
        #expect(summary.damage.isEmpty && summary.responses == 306 && summary.derivedResponses == 306)
        let dumped = try ExternalTool.run(["zimdump", "dump", "--dir=out", "x.zim"], in: folder.url)
        try #require(dumped.status == 0, "\(dumped.errorText)")
        for path in site + (0..<300).map({ "many/\($0).txt" }) {
            let name = path.replacingOccurrences(of: "?", with: "%3F").replacingOccurrences(of: " ", with: "%20")
            let entry = try #require(try entry("https://zim.invalid/\(name)"), "\(name)")
            #expect(try entry.body?.bytes() == folder.read("out/\(path)"), "\(path)")
            #expect(try entry.response?.isDerived == true)
        }
        #expect(try entry("https://zim.invalid/s.css")?.response?.mediaType == "text/css")
        let redirect = try #require(try entry("https://zim.invalid/moved.html"))
        #expect(try redirect.redirectTarget == "https://zim.invalid/index.html" && redirect.response?.status == 302)
        let archive = try ArchiveReader(path: imported.path)
        let metadata = try archive.metadata()
        #expect(metadata["title"] == "A title" && metadata["description"] == "A description")
        #expect(metadata["creator"] == "A creator" && metadata["x-zim-publisher"] == "A publisher")
        #expect(metadata["language"] == "de" && metadata["mainPage"] == "https://zim.invalid/index.html")
        #expect(try archive.metadataBody("icon")?.bytes() == Array(icon))
        #expect(ArchiveVerifier(archive).run().isEmpty)
    }

    /// Namespaces stay in the paths, and clusters of the first generation are read.
    @Test(arguments: [true, false]) func anOldFile(_ hasChecksum: Bool) throws {
        var zim = Self.old(folder)
        zim.hasChecksum = hasChecksum
        let path = try zim()
        if hasChecksum {
            let checked = try ExternalTool.run(["zimcheck", "-C", "-I", path.string])
            #expect(checked.status == 0, "\(checked.text)")
        }
        let summary = try run(path)
        #expect(summary.damage.isEmpty && summary.responses == 5 && summary.derivedResponses == 5)
        let base = "https://zim.invalid/"
        #expect(
            try urls() == ["-/favicon", "A/%C3%9C%3F%23%25/%20(x)", "A/Main", "A/Old", "I/icon.png"].map { base + $0 })
        #expect(try imported.body(base + "A/Main") == "<p>Main" && imported.body(base + "I/icon.png") == "icon")
        #expect(try imported.body(base + "A/%C3%9C%3F%23%25/%20(x)") == "text")
        #expect(try entry(base + "A/Old")?.redirectTarget == base + "A/Main")
        #expect(try entry(base + "A/Main")?.time?.nanoseconds == 1_265_155_200_000_000_000)
        let archive = try ArchiveReader(path: imported.path)
        let metadata = try archive.metadata()
        #expect(metadata["title"] == "An old file" && metadata["creator"] == "A creator")
        #expect(metadata["date"] == "2010-02-03" && metadata["language"] == "fr")
        #expect(metadata["mainPage"] == base + "A/Main")
        #expect(try archive.metadataBody("icon")?.bytes() == Array("icon".utf8))
        #expect(ArchiveVerifier(archive).run().isEmpty)
    }

    @Test func aBaseURL() throws {
        let path = try Self.old(folder)()
        _ = try run(path) { $0.baseURL = "http://wiki.example/de/" }
        #expect(try imported.body("http://wiki.example/de/A/Main") == "<p>Main")
        for base in ["http://wiki.example/de", "wiki/", "http://a/?b/", "ftp://a/", ""] {
            let error = archiveError { _ = try run(path) { $0.baseURL = base } }
            #expect(error?.code == .invalidArgument && error?.message.contains("'\(base)'") == true, "\(base)")
        }
    }

    @Test func standardInput() throws {
        let bytes = try folder.read(Self.old(folder)().lastComponent?.string ?? "")
        let pipe = folder.path("pipe")
        #expect(try ExternalTool.run(["mkfifo", pipe.string]).status == 0)
        let writer = Thread {
            try? FileHandle(forWritingTo: URL(fileURLWithPath: pipe.string)).write(contentsOf: Data(bytes))
        }
        writer.start()
        #expect(try run(pipe).responses == 5)
    }

    /// Entries with one content, and one entry several times in the directory.
    @Test func sharedContents() throws {
        var zim = PythonZIM(folder: folder)
        zim.entries = (0..<3).map { .blob("A/\($0)", 0, 1, type: $0) }
        zim.clusters = [.init("other", "shared", method: 4)]
        #expect(try run(zim()).responses == 3)
        let archive = try ArchiveReader(path: imported.path)
        #expect(try archive.entries().map { try $0.response?.mediaType } == zim.types)
        #expect(try archive.entries().allSatisfy { try $0.body?.bytes() == Array("shared".utf8) })
        var bytes = try folder.read("made.zim")
        let list = Int(bytes[32]) | Int(bytes[33]) << 8
        bytes.replaceSubrange(list + 8..<list + 16, with: bytes[list..<list + 8])
        #expect(try run(folder.write("twice.zim", bytes)).responses == 2)
    }

    @Test(arguments: [
        ("eng", "en"), ("fra,eng", "fr"), ("ger", "de"), ("ENG", "en"), ("gsw", "gsw"), ("en", "en"), (",eng", "en"),
        ("zh-Hant", "zh-Hant"), ("", nil), (", ,", nil), ("two words", nil), (String(repeating: "a", count: 99), nil),
    ])
    func languages(_ codes: String, _ tag: String?) { #expect(LanguageTags.tag(ofFirstIn: codes) == tag) }
}
