// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchivePacking

@Suite struct ArchivePackerTests {
    let test = PackingTest()

    /// Files of many kinds and lengths, from a seed.
    private func writeTree(_ generator: inout SeededGenerator) throws {
        let words = (0..<200).map { _ in String(UInt64.random(in: 0 ... .max, using: &generator), radix: 36) }
        for number in 0..<120 {
            let type = ["html", "css", "js", "json", "svg", "bin", "txt"].randomElement(using: &generator)!
            let length = [0, 1, 200, 5_000, 70_000, 300_000].randomElement(using: &generator)!
            var text = "<meta charset=utf-8>"
            while text.utf8.count < length { text += words.randomElement(using: &generator)! + " " }
            let folder = ["", "a/", "a/b/", "c d/", "ü/"].randomElement(using: &generator)!
            let bytes =
                type == "bin"
                ? generator.bytes(length)
                : Array(text.utf8.prefix(length))
            try test.write("\(folder)file\(number).\(type)", bytes)
        }
    }

    @Test func aFolderComesBackByteForByteAndTheThreadsDoNotMatter() throws {
        var generator = SeededGenerator.forTest()
        try writeTree(&generator)
        try FileManager.default.createDirectory(
            atPath: test.folder.path("site/empty/inner").string, withIntermediateDirectories: true)
        try test.pack { $0.threads = 1 }
        let one = try test.folder.read("site.webarc")
        for threads in [2, 3, 7] {
            try test.pack { $0.threads = threads }
            #expect(try test.folder.read("site.webarc") == one, "seed \(generator.seed), \(threads) threads")
        }
        let summary = try test.unpack()
        #expect(summary.failures.isEmpty)
        #expect(try test.difference() == "", "seed \(generator.seed)")
    }

    @Test(arguments: ["fast", "1", "2", "9", "12"])
    func everyLevelComesBack(_ level: String) throws {
        var generator = SeededGenerator.forTest()
        try writeTree(&generator)
        let level = try #require(CompressionLevel(level))
        try test.pack { $0.level = level }
        try test.unpack()
        #expect(try test.difference() == "", "seed \(generator.seed)")
        #expect(ArchiveVerifier(try test.reader()).run().isEmpty)
    }

    @Test func aCopyInAnotherOrderGivesTheSameBytes() throws {
        var generator = SeededGenerator.forTest()
        try writeTree(&generator)
        try test.pack()
        let original = try test.folder.read("site.webarc")
        // tar keeps the times, and a shuffled list makes another order on disk.
        let script = """
            cd "$1" && mkdir copy && cd site && find . -type f | sort -R | tar --format=posix -cf - -T - | tar -xf - -C ../copy \
            && cd .. && rm -r site && mv copy site
            """
        let copied = try ExternalTool.run(["sh", "-c", script, "sh", test.folder.url.path])
        try #require(copied.status == 0, "\(copied.errorText)")
        try test.pack()
        #expect(try test.folder.read("site.webarc") == original, "seed \(generator.seed)")
    }

    @Test func equalFilesAreStoredOnce() throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) }
        try test.write("a.bin", bytes)
        let alone = try test.pack().archiveLength
        for name in ["b.bin", "c/d.bin"] { try test.write(name, bytes) }
        let summary = try test.pack()
        #expect(summary.duplicateBytes == 200_000)
        #expect(summary.archiveLength < alone + 1_000)
        try test.unpack()
        #expect(try test.difference() == "")
    }

    @Test func largeFilesAreStoredOnceAsWell() throws {
        var generator = SeededGenerator.forTest()
        var bytes = generator.bytes(5_000_000, mask: 63)
        try test.write("a.bin", bytes)
        try test.write("b.bin", bytes)
        bytes[4_999_999] ^= 1
        try test.write("c.bin", bytes)
        let summary = try test.pack()
        #expect(summary.duplicateBytes == 5_000_000)
        try test.unpack()
        #expect(try test.difference() == "")
    }

    @Test func differentFilesWithOneDigestAreBothKept() throws {
        try test.write("a.html", CollidingPair.first)
        try test.write("b.html", CollidingPair.second)
        try test.write("c/b.html", CollidingPair.second)
        try test.pack()
        try test.unpack()
        #expect(try test.difference() == "")
        let digest = try #require(ContentDigest(hexadecimal: CollidingPair.digest))
        #expect(try test.reader().bodies(digest: digest).count == 2)
    }

    @Test func aDictionaryMakesPagesSmaller() throws {
        var generator = SeededGenerator.forTest()
        let words = (0..<2_000).map { _ in String(UInt64.random(in: 0 ... .max, using: &generator), radix: 36) }
        for number in 0..<60 {
            let page = (0..<3_000).map { _ in words.randomElement(using: &generator)! }.joined(separator: " ")
            try test.write("page\(number).html", page)
        }
        let with = try test.pack().archiveLength
        let without = try test.pack { $0.usesDictionaries = false }.archiveLength
        #expect(with < without, "seed \(generator.seed)")
        try test.pack()
        #expect(ArchiveVerifier(try test.reader()).run().isEmpty)
    }

    /// Its leading dot begins no extension, whichever file comes first.
    @Test(arguments: [".html", "z/.html"]) func aFileWithADotInFrontDoesNotChangeTypes(name: String) throws {
        for name in [name, "page.html"] { try test.write(name, "<title>Page</title>") }
        try test.pack()
        let reader = try test.reader()
        #expect(try reader.entry(for: "http://localhost/page.html")?.outline?.mediaType == "text/html")
        #expect(try reader.entry(for: "http://localhost/\(name)")?.outline?.mediaType == MediaTypes.unknown)
    }

    @Test(arguments: [-1, 0]) func fewerThreadsThanOneAreOne(threads: Int) throws {
        try test.write("index.html", "<title>Page</title>")
        try test.pack { $0.threads = threads }
        #expect(try test.reader().entryCount > 0)
    }

    @Test func includeAndExcludeChoose() throws {
        for name in ["a.html", "b.css", "drafts/c.html", "d/e.html"] { try test.write(name, name) }
        try test.pack { options in
            options.include = ["*.html"]
            options.exclude = ["drafts/"]
        }
        let urls = try test.reader().entries().map { try $0.key }
        #expect(urls == ["http://localhost/a.html", "http://localhost/d/e.html"])
    }

    @Test func metadataAndBaseURLAreKept() throws {
        try test.write("start.html", "hello")
        try test.pack { options in
            options.baseURL = "https://example.org/guide"
            options.metadata = ["title": "A guide", "mainPage": "start.html"]
        }
        let metadata = try test.reader().metadata()
        #expect(metadata["title"] == "A guide")
        #expect(metadata["mainPage"] == "https://example.org/guide/start.html")
        #expect(try test.text("https://example.org/guide/start.html") == "hello")
        try test.unpack()
        #expect(try test.difference() == "")
    }

    @Test func theArchiveStaysAsItWasWhenPackingFails() throws {
        try test.write("a.html", "one")
        try test.pack()
        let before = try test.folder.read("site.webarc")
        try FileManager.default.createSymbolicLink(
            atPath: test.folder.path("site/out").string, withDestinationPath: "/")
        #expect(test.packingError { $0.requiresAllLinks = true }?.code == .invalidArgument)
        #expect(try test.folder.read("site.webarc") == before)
        let left = try FileManager.default.contentsOfDirectory(atPath: test.folder.url.path).sorted()
        #expect(left == ["site", "site.webarc"])
    }
}

extension SeededGenerator {
    /// A generator that prints its seed, or takes the one in `WEBARC_TEST_SEED`.
    static func forTest() -> SeededGenerator {
        let given = ProcessInfo.processInfo.environment["WEBARC_TEST_SEED"].flatMap { UInt64($0) }
        let generator = given.map { SeededGenerator(seed: $0) } ?? SeededGenerator()
        print("seed \(generator.seed)")
        return generator
    }
}
