// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@Suite("compact")
struct CompactTests {
    /// Everything that an archive says, without the numbers of commits.
    private func contents(_ file: String) throws -> [String] { try WebarcTool.run("ls", file, "--json").lines }

    @Test func allCapturesInOneCommit() throws {
        let sample = try SampleArchive(commits: 5)
        let before = try contents(sample.file)
        let result = try WebarcTool.run("compact", sample.file, "--json")
        #expect(result.status == 0, "\(result.errorText)")
        let object = try #require(try result.objects.first)
        #expect(object["commits"] as? Int == 5)
        #expect(try contents(sample.file) == before)
        let reader = try ArchiveReader(path: sample.path)
        #expect(reader.commitCount == 1)
        #expect(try reader.metadata() == ["title": "Sample 4"])
        let (alias, original) = (
            try reader.entry(for: SampleArchive.base), try reader.entry(for: SampleArchive.base + "index.html")
        )
        #expect(try alias?.sharesResponse(with: #require(original)) == true)
        for name in ["news", "tie"] {
            #expect(try WebarcTool.run("cat", sample.file, SampleArchive.base + name).text == "News number 4")
        }
        #expect(
            try WebarcTool.run("cat", sample.file, SampleArchive.base + "img/a.png").output == Data(SampleArchive.image)
        )
        #expect(object["lengthAfter"] as? Int ?? .max < object["lengthBefore"] as? Int ?? 0)
        #expect(!FileManager.default.fileExists(atPath: sample.file + ".partial"))
    }

    @Test func compactingAgain() throws {
        let sample = try SampleArchive(commits: 3)
        let copies = try (1...2).map { number in
            let name = "copy\(number).webarc"
            let result = try WebarcTool.run("compact", sample.file, "-o", sample.folder.path(name).string)
            #expect(result.status == 0, "\(result.errorText)")
            return try sample.folder.read(name)
        }
        #expect(copies[0] == copies[1])
        let result = try WebarcTool.run("compact", sample.folder.path("copy1.webarc").string)
        #expect(result.status == 0)
        #expect(try sample.folder.read("copy1.webarc") == copies[0])
        #expect(try ArchiveReader(path: sample.path).commitCount == 3)
    }

    @Test func bodiesOfManyBlocks() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("large.webarc")
        var generator = SeededGenerator(seed: 7)
        let large = generator.bytes(700_000, mask: 31)
        for part in 0..<2 {
            let options = ArchiveWriter.Options(blockExponent: 14)
            let writer =
                try part == 0
                ? ArchiveWriter(creating: path, options: options) : ArchiveWriter(appendingTo: path)
            let response = ArchiveResponse(headers: ["Content-Type": "text/plain"])
            try writer.add(
                ArchiveRequest(url: "http://a.test/\(part)"), response: response,
                body: writer.addBody(Array(large[(part * 1000)...])))
            try writer.setMetadata("icon", to: writer.addBody([UInt8(part)]))
            try writer.commit()
        }
        #expect(try WebarcTool.run("compact", path.string).status == 0)
        let reader = try ArchiveReader(path: path)
        #expect(reader.commitCount == 1)
        for part in 0..<2 {
            let body = try #require(try reader.entry(for: "http://a.test/\(part)")?.body)
            #expect(try body.bytes() == Array(large[(part * 1000)...]))
        }
        #expect(try reader.metadataBody("icon")?.bytes() == [1])
    }

    @Test func damageLeavesTheArchive() throws {
        let sample = try SampleArchive(commits: 2)
        let file = try sample.damagedInBlock()
        let before = try sample.folder.read("damaged.webarc")
        let result = try WebarcTool.run("compact", file)
        #expect(result.status == 1 && result.errorText.contains("(byte 96)"))
        #expect(try sample.folder.read("damaged.webarc") == before)
        #expect(!FileManager.default.fileExists(atPath: file + ".partial"))
    }

    @Test func anotherFileGetsWhatIsNotDamaged() throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b", "c"] {
            var random = SeededGenerator.printed()
            try folder.write("site/\(name).bin", random.bytes(300_000))
        }
        let file = folder.path("site.webarc").string
        #expect(try WebarcTool.run("pack", folder.path("site").string, "-o", file).status == 0)
        var bytes = try folder.read("site.webarc")
        // The first of the two blocks of the second file; they cannot be compressed, and stand in the order of the names.
        bytes[96 + 300_000 + 10] ^= 1
        try folder.write("site.webarc", bytes)
        let copy = folder.path("copy.webarc").string
        let result = try WebarcTool.run("compact", file, "-o", copy)
        #expect(result.status == 1, "\(result.errorText)")
        #expect(try WebarcTool.run("verify", copy).status == 0)
        #expect(try WebarcTool.run("unpack", copy, "-C", folder.path("out").string).status == 0)
        for name in ["a.bin", "c.bin"] { #expect(try folder.read("out/\(name)") == folder.read("site/\(name)")) }
        #expect(!FileManager.default.fileExists(atPath: folder.path("out/b.bin").string))
    }

    /// Each rule has a response of its own, although all are equal.
    @Test func equalRedirectsByTheThousand() throws {
        let folder = try TemporaryFolder()
        try folder.write("site/index.html", Array("<p>Hello".utf8))
        try folder.write("site/_redirects", Array((0..<3000).map { "/old/\($0) / 301\n" }.joined().utf8))
        try folder.write("more/page.html", Array("<p>More".utf8))
        let file = folder.path("site.webarc").string
        #expect(try WebarcTool.run("pack", folder.path("site").string, "-o", file).status == 0)
        #expect(try WebarcTool.run("pack", folder.path("more").string, "--append", "-o", file).status == 0)
        #expect(try WebarcTool.run("compact", file).status == 0)
        #expect(try ArchiveReader(path: FilePath(file)).commitCount == 1)
    }

    @Test func damagedLastCommit() throws {
        let sample = try SampleArchive(commits: 2)
        let file = try sample.damaged { $0[$0.count - 50] ^= 1 }
        let result = try WebarcTool.run("compact", file)
        #expect(result.status == 1 && result.errorText.contains("compact into another file to omit it"))
        let other = sample.folder.path("other.webarc").string
        let copied = try WebarcTool.run("compact", file, "-o", other)
        #expect(copied.status == 1 && copied.errorText.contains("left out: \(file): the last commit is damaged"))
        let first = try SampleArchive(commits: 1)
        #expect(try contents(other) == contents(first.file))
    }

    @Test func otherWritersAndFiles() throws {
        let sample = try SampleArchive(commits: 2)
        let writer = try ArchiveWriter(appendingTo: sample.path)
        let locked = try WebarcTool.run("compact", sample.file)
        #expect(locked.status == 75 && locked.errorLines.count == 1)
        writer.cancel()
        let other = try sample.folder.write("notes.txt", Array("mine".utf8)).string
        let result = try WebarcTool.run("compact", sample.file, "-o", other)
        #expect(result.status == 73)
        #expect(try sample.folder.read("notes.txt") == Array("mine".utf8))
    }
}
