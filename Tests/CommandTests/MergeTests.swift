// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@Suite("merge")
struct MergeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @discardableResult
    private func webarc(_ arguments: String..., status: Int32 = 0) throws -> ExternalTool.Result {
        let result = try WebarcTool.run(arguments, in: folder.url)
        try #require(result.status == status, "\(arguments): \(result.errorText)")
        return result
    }

    /// Packs files into an archive of this name.
    private func pack(
        _ name: String, _ files: [String: String], time: String? = nil, base: String = "https://a.test/",
        _ options: String...
    ) throws {
        for (path, text) in files { try folder.write("\(name)/\(path)", Array(text.utf8)) }
        let moment = time.map { ["--time", $0] } ?? []
        let result = try WebarcTool.run(
            ["pack", name, "-o", "\(name).webarc", "--base-url", base] + moment + options, in: folder.url)
        try #require(result.status == 0, "\(result.errorText)")
    }

    private func text(_ path: String, in name: String = "all.webarc") throws -> String {
        try webarc("cat", name, "https://a.test/\(path)").text
    }

    @Test func theNewestCaptureAnswersInAnyOrder() throws {
        try pack("old", ["page.html": "old", "only-old.html": "o"], time: "@1000")
        try pack("new", ["page.html": "new", "only-new.html": "n"], time: "@2000")
        for order in [["old.webarc", "new.webarc"], ["new.webarc", "old.webarc"]] {
            try webarc("merge", order[0], order[1], "-o", "all.webarc")
            #expect(try text("page.html") == "new")
            #expect(try text("only-old.html") + text("only-new.html") == "on")
            try webarc("verify", "all.webarc")
        }
        // The older capture stays.
        let times = try webarc("ls", "all.webarc", "--json").lines.filter { $0.contains("page.html\"") }
        #expect(times.count == 2)
    }

    @Test(arguments: [nil, "@1000"])
    func withoutNewerTimesTheLaterArgumentWins(_ time: String?) throws {
        try pack("x", ["page.html": "from x"], time: time)
        try pack("y", ["page.html": "from y"], time: time)
        try webarc("merge", "x.webarc", "y.webarc", "-o", "all.webarc")
        #expect(try text("page.html") == "from y")
        try webarc("merge", "y.webarc", "x.webarc", "-o", "all.webarc")
        #expect(try text("page.html") == "from x")
        // The same entry again, behind another one: it is the later argument's.
        try webarc("merge", "x.webarc", "y.webarc", "x.webarc", "-o", "all.webarc")
        #expect(try text("page.html") == "from x")
    }

    @Test func aKnownTimeIsNewerThanAnUnknownOne() throws {
        try pack("known", ["page.html": "known"], time: "@1")
        try pack("unknown", ["page.html": "unknown"])
        try webarc("merge", "known.webarc", "unknown.webarc", "-o", "all.webarc")
        #expect(try text("page.html") == "known")
    }

    @Test func mergingWithItselfChangesNothing() throws {
        let sample = try SampleArchive()
        let (file, out) = (sample.file, folder.path("all.webarc").string)
        let result = try webarc("merge", file, file, "-o", out, "--json")
        #expect(try webarc("ls", out, "--json").text == webarc("ls", file, "--json").text)
        let reader = try ArchiveReader(path: sample.path)
        let merged = try ArchiveReader(path: FilePath(out))
        #expect(merged.bodyCount == reader.bodyCount && merged.entryCount == reader.entryCount)
        #expect(try merged.metadata() == reader.metadata())
        #expect(try result.objects.first?["repeatedEntries"] as? Int == reader.entryCount)
    }

    /// Bodies of every size, in blocks that are shared and not, some of them in both archives.
    @Test func everyBodyComesBackAndEqualOnesOnce() throws {
        var random = SeededGenerator.printed()
        var contents: [String: [UInt8]] = [:]
        for number in 0..<40 {
            let length = [0, 1, 700, 30_000, 262_144, 300_000].randomElement(using: &random) ?? 0
            let bytes = number % 2 == 0 ? random.bytes(length) : random.text(length)
            let places = ["a", "b", "ab"].randomElement(using: &random) ?? ""
            for place in places { try folder.write("\(place)/\(number).bin", bytes) }
            contents["\(number).bin"] = bytes
        }
        for name in ["a", "b"] { try pack(name, ["\(name)-only.txt": name]) }
        try webarc("merge", "a.webarc", "b.webarc", "-o", "all.webarc")
        try webarc("unpack", "all.webarc", "-C", "out", "--quiet")
        for (name, bytes) in contents { #expect(try folder.read("out/\(name)") == bytes, "\(name)") }
        try webarc("verify", "all.webarc")
        let digests = Set(contents.values.map { ContentDigest(hashing: $0) })
        let reader = try ArchiveReader(path: folder.path("all.webarc"))
        for digest in digests { #expect(try reader.bodies(digest: digest).count == 1) }
    }

    /// Two published messages of one MD5 stay two, whichever archive has which.
    @Test func differentBodiesOfOneDigest() throws {
        for (name, bodies) in [
            ("a", [CollidingPair.first]), ("b", [CollidingPair.second]),
            ("c", [CollidingPair.first, CollidingPair.second]),
        ] {
            for (number, body) in bodies.enumerated() { try folder.write("\(name)/\(name)\(number).bin", body) }
            try pack(name, [:])
        }
        for order in [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]] {
            try webarc("merge", order[0] + ".webarc", order[1] + ".webarc", order[2] + ".webarc", "-o", "all.webarc")
            for (path, bytes) in [
                ("a0", CollidingPair.first), ("b0", CollidingPair.second), ("c0", CollidingPair.first),
                ("c1", CollidingPair.second),
            ] {
                let result = try webarc("cat", "all.webarc", "https://a.test/\(path).bin")
                #expect(result.output == Data(bytes), "\(order) \(path)")
            }
            try webarc("verify", "all.webarc")
        }
    }

    @Test func metadataOfTheFirstAndRulesOfAll() throws {
        try pack("a", ["index.html": "a", "_redirects": "/to-a /index.html 302\n"], "--title", "A")
        try pack(
            "b", ["index.html": "b", "_redirects": "/to-b /index.html 302\n"], base: "https://b.test/", "--title", "B",
            "--language", "de")
        try webarc("merge", "a.webarc", "b.webarc", "-o", "all.webarc")
        let metadata = try ArchiveReader(path: folder.path("all.webarc")).metadata()
        #expect(metadata["title"] == "A" && metadata["language"] == "de")
        for host in ["a", "b"] {
            let url = "https://\(host).test/to-\(host)"
            #expect(try webarc("cat", "--follow", "all.webarc", url).text == host)
        }
    }

    @Test func blocksOfOtherLengths() throws {
        var random = SeededGenerator.printed()
        let large = random.text(100_000)
        for (number, exponent) in [12, 18, 14].enumerated() {
            let writer = try ArchiveWriter(
                creating: folder.path("\(number).webarc"),
                options: ArchiveWriter.Options(blockExponent: UInt8(exponent)))
            for (name, bytes) in [("shared", large), ("own\(number)", Array(large.dropFirst(number)))] {
                try writer.add(
                    ArchiveRequest(url: "https://a.test/\(name)"), response: ArchiveResponse(),
                    body: writer.addBody(bytes))
            }
            try writer.commit()
        }
        try webarc("merge", "0.webarc", "1.webarc", "2.webarc", "-o", "all.webarc")
        try webarc("verify", "all.webarc")
        for number in 0..<3 {
            let result = try webarc("cat", "all.webarc", "https://a.test/own\(number)")
            #expect(result.output == Data(large.dropFirst(number)))
        }
    }

    @Test func aSignatureIsLostOrMadeAnew() throws {
        try webarc("key", "create", "publisher.key")
        try pack("a", ["index.html": "a"], "--sign", "publisher.key")
        try pack("b", ["other.html": "b"])
        let unsigned = try webarc("merge", "a.webarc", "b.webarc", "-o", "all.webarc")
        #expect(unsigned.errorText.contains("was signed") && unsigned.errorLines.count == 1)
        try webarc("verify", "all.webarc", "--key", "publisher.pub", status: 1)
        let signed = try webarc("merge", "a.webarc", "b.webarc", "-o", "all.webarc", "--sign", "publisher.key")
        #expect(signed.errorText.isEmpty)
        try webarc("verify", "all.webarc", "--key", "publisher.pub")
        // Only what is signed is merged.
        try webarc("merge", "a.webarc", "b.webarc", "-o", "signed.webarc", "--key", "publisher.pub", status: 1)
    }

    @Test func damageEndsTheMerge() throws {
        let sample = try SampleArchive(commits: 2)
        let damaged = [
            try sample.damagedInBlock(), try sample.damaged("cut.webarc") { $0[$0.count - 50] ^= 1 },
            try sample.damaged("short.webarc") { $0.removeLast($0.count - 50) },
        ]
        try folder.write("all.webarc", sample.folder.read("sample.webarc"))
        let before = try folder.read("all.webarc")
        for file in damaged {
            for arguments in [[file, sample.file], [sample.file, file]] {
                let result = try webarc("merge", arguments[0], arguments[1], "-o", "all.webarc", status: 1)
                #expect(result.errorLines.last?.contains(file) == true, "\(result.errorText)")
                #expect(try folder.read("all.webarc") == before)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["all.webarc"])
    }

    @Test func anArchiveIsNoTargetOfItsOwnMerge() throws {
        try pack("a", ["index.html": "a"])
        try pack("b", ["index.html": "b"])
        let before = try folder.read("a.webarc")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link.webarc").string, withDestinationPath: "a.webarc")
        for target in ["a.webarc", "link.webarc"] {
            let result = try webarc("merge", "a.webarc", "b.webarc", "-o", target, status: 64)
            #expect(result.errorLines.count == 1)
            #expect(try folder.read("a.webarc") == before)
        }
        try webarc("merge", "a.webarc", "-o", "one.webarc")
        #expect(try webarc("ls", "one.webarc").text == webarc("ls", "a.webarc").text)
    }
}
