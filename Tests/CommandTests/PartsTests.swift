// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive

@Suite("split, join, and reading parts")
struct PartsTests {
    private let folder: TemporaryFolder
    /// The archive, whose blocks lie across the ends of parts.
    private let archive: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        var random = SeededGenerator.printed()
        for name in ["a", "b"] { try folder.write("site/\(name).bin", random.bytes(300_000)) }
        try folder.write("site/index.html", Array("<title>Parts</title>".utf8))
        let packed = try WebarcTool.run(
            "pack", "site", "-o", "s.webarc", "--base-url", "https://a.test/", in: folder.url)
        try #require(packed.status == 0, "\(packed.errorText)")
        archive = try folder.read("s.webarc")
        try FileManager.default.createDirectory(
            atPath: folder.path("stick").string, withIntermediateDirectories: false)
    }

    @discardableResult
    private func webarc(_ arguments: String..., status: Int32 = 0) throws -> ExternalTool.Result {
        let result = try WebarcTool.run(arguments, in: folder.url)
        try #require(result.status == status, "\(arguments): \(result.errorText)")
        return result
    }

    private func names(_ name: String = "stick") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(name).string).sorted()
    }

    private func split(_ size: String = "100K") throws {
        try webarc("split", "s.webarc", "--size", size, "-o", "stick")
    }

    @Test func partsAreTheBytesOfTheArchive() throws {
        try split()
        let parts = try names()
        #expect(parts.first == "s.webarc.001" && parts.count == (archive.count - 1) / 102_400 + 1)
        #expect(try parts.dropLast().allSatisfy { try folder.read("stick/\($0)").count == 102_400 })
        let joined = try ExternalTool.run(["sh", "-c", "cat stick/s.webarc.* | cmp - s.webarc"], in: folder.url)
        #expect(joined.status == 0, "\(joined.text)")
        #expect(try folder.read("s.webarc") == archive)
        try webarc("join", "stick/s.webarc.001", "-o", "joined.webarc")
        #expect(try folder.read("joined.webarc") == archive)
        try webarc("join", "stick/s.webarc.001")
        #expect(try folder.read("stick/s.webarc") == archive)
    }

    @Test(arguments: ["1", "17", "4096", "100000"])
    func readersTakeTheFirstPart(_ divisor: String) throws {
        // The maximum number of parts, down to one that is the whole.
        let size = max(archive.count / 999 + 1, Int(divisor) ?? 0)
        try split(String(size))
        let first = "stick/s.webarc.001"
        try webarc("verify", first)
        #expect(try webarc("ls", first, "--json").text == webarc("ls", "s.webarc", "--json").text)
        #expect(try webarc("cat", first, "/b.bin").output == Data(folder.read("site/b.bin")))
        try webarc("unpack", first, "-C", "out")
        for name in ["a.bin", "b.bin", "index.html"] {
            #expect(try folder.read("out/\(name)") == folder.read("site/\(name)"))
        }
        try webarc("merge", first, "s.webarc", "-o", "merged.webarc")
        try webarc("compact", first, "-o", "compacted.webarc")
        #expect(try webarc("ls", "compacted.webarc", "--json").text == webarc("ls", "s.webarc", "--json").text)
        try webarc("diff", "s.webarc", first, "-o", "s.webarcpatch")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Spec/reference/webarc_reader.py").path
        let second = try ExternalTool.run(["python3", "-B", script, "verify", folder.path(first).string])
        #expect(second.status == 0, "\(second.text)\(second.errorText)")
    }

    @Test func aPartThatIsMissingOrCutIsNamed() throws {
        try split()
        let parts = try names()
        let last = try #require(parts.last)
        for name in parts.dropFirst() {
            let bytes = try folder.read("stick/\(name)")
            try FileManager.default.removeItem(atPath: folder.path("stick/\(name)").string)
            for command in ["verify", "join"] {
                let result = try WebarcTool.run(command, "stick/s.webarc.001", in: folder.url)
                #expect(result.status != 0 && result.errorText.contains("stick/\(name)"), "\(result.errorText)")
                #expect(result.errorLines.count == 1)
            }
            try folder.write("stick/\(name)", bytes.dropLast())
            let result = try webarc("verify", "stick/s.webarc.001", status: 1)
            #expect(result.errorText.contains("stick/\(name)"), "\(result.errorText)")
            if name != last {
                try folder.write("stick/\(name)", bytes + [0])
                #expect(try webarc("ls", "stick/s.webarc.001", status: 1).errorText.contains(name))
            }
            try folder.write("stick/\(name)", bytes)
        }
        try webarc("verify", "stick/s.webarc.001")
        #expect(try !names().contains("s.webarc"))
    }

    @Test func aPartOfAnotherArchiveIsNamed() throws {
        try split()
        var random = SeededGenerator.printed()
        try folder.write("stick/s.webarc.002", random.bytes(102_400))
        let result = try webarc("join", "stick/s.webarc.001", status: 1)
        #expect(result.errorText.contains("stick/s.webarc.002"), "\(result.errorText)")
        #expect(try !names().contains { !$0.hasPrefix("s.webarc.00") })
        let found = try webarc("verify", "stick/s.webarc.001", status: 1)
        #expect(found.text.contains("a.bin") || found.errorText.contains("a.bin"))
    }

    @Test func otherNamesOfThePartsAreExplained() throws {
        try split()
        let whole = try webarc("verify", "stick/s.webarc", status: 74)
        #expect(whole.errorText.contains("stick/s.webarc.001") && whole.errorText.contains("webarc join"))
        for command in ["verify", "ls", "info"] {
            let later = try webarc(command, "stick/s.webarc.002", status: 2)
            #expect(later.errorText.contains("part 2") && later.errorText.contains("stick/s.webarc.001"))
        }
        try webarc("join", "stick/s.webarc.002", status: 64)
        try webarc("join", "s.webarc", status: 64)
    }

    /// An archive of its own may have a name that ends in digits.
    @Test func wholeArchivesWithNamesOfParts() throws {
        for name in ["v.001", "w.002", "w.001"] { try folder.write(name, archive) }
        try webarc("verify", "v.001")
        try webarc("verify", "w.002")
        try webarc("pack", "site", "-o", "v.001", "--append", "--base-url", "https://b.test/")
        #expect(try ArchiveReader(path: folder.path("v.001")).commitCount == 2)
    }

    @Test func nothingIsWrittenToParts() throws {
        try split()
        let before = try names().map { try folder.read("stick/\($0)") }
        try webarc("key", "create", "k.key")
        let first = "stick/s.webarc.001"
        for arguments in [
            ["pack", "site", "-o", first, "--append"], ["pack", "site", "-o", first],
            ["pack", "site", "-o", "stick/s.webarc.002"], ["compact", first], ["sign", first, "--key", "k.key"],
            ["merge", "s.webarc", "-o", first], ["extract", "s.webarc", "-o", first, "--exclude", "*.html"],
            ["heal", first, "--from", "s.webarc"], ["split", first, "-o", "stick"],
        ] {
            let result = try WebarcTool.run(arguments, in: folder.url)
            #expect(result.status == 64, "\(arguments): \(result.errorText)")
            #expect(result.errorText.contains("webarc join") && result.errorLines.count == 1, "\(result.errorText)")
        }
        #expect(try names().map { try folder.read("stick/\($0)") } == before)
    }

    @Test func partsThatAreThereStay() throws {
        try split()
        let before = try names()
        let result = try webarc("split", "s.webarc", "--size", "200K", "-o", "stick", status: 73)
        #expect(result.errorText.contains("stick/s.webarc.001"))
        #expect(try names() == before)
        try webarc("split", "s.webarc", "--size", "10", "-o", "stick", status: 1)
        try webarc("split", "s.webarc", "--size", "10", status: 1)
        #expect(try !names(".").contains { $0.hasSuffix(".partial") })
    }

    /// Two archives of one name, for one folder: the parts of one come whole, and the other is refused.
    @Test func twoAtOnceDoNotMix() throws {
        var random = SeededGenerator.printed()
        try folder.write("site/a.bin", random.bytes(300_000))
        try FileManager.default.createDirectory(
            atPath: folder.path("other").string, withIntermediateDirectories: false)
        try webarc("pack", "site", "-o", "other/s.webarc", "--base-url", "https://a.test/")
        let archives = [try folder.read("s.webarc"), try folder.read("other/s.webarc")]
        for _ in 0..<(LargeTests.areEnabled ? 20 : 3) {
            let errors = Mutex<[ArchiveError]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { number in
                let path = folder.path(number % 2 == 0 ? "s.webarc" : "other/s.webarc")
                do throws(ArchiveError) {
                    try ArchiveSplitter(path, into: folder.path("stick"), partLength: 20_000).run()
                } catch {
                    errors.withLock { $0.append(error) }
                }
            }
            let refused = errors.withLock { $0.map(\.code) }
            #expect(refused.count == 3 && refused.allSatisfy { [.locked, .alreadyExists].contains($0) }, "\(refused)")
            let names = try names()
            #expect(archives.contains(try names.flatMap { try folder.read("stick/\($0)") }))
            #expect(names.allSatisfy { !$0.hasSuffix(".partial") })
            for name in names { try FileManager.default.removeItem(atPath: folder.path("stick/\(name)").string) }
        }
    }

    /// The lock of a run that continues, whose files stay.
    @Test func aSecondSplitIsRefused() throws {
        try folder.write("stick/s.webarc.001.partial", [1])
        try folder.write("stick/s.webarc.002.partial", [2])
        let file = try FileDescriptor.open(folder.path("stick/s.webarc.001.partial"), .readWrite)
        defer { try? file.close() }
        try #require(flock(file.rawValue, LOCK_EX) == 0)
        let result = try webarc("split", "s.webarc", "--size", "100K", "-o", "stick", status: 75)
        #expect(result.errorText.contains("another program is writing the archive"), "\(result.errorText)")
        #expect(try names() == ["s.webarc.001.partial", "s.webarc.002.partial"])
        #expect(try folder.read("stick/s.webarc.002.partial") == [2])
        // Those of a run that was killed are taken over.
        try #require(flock(file.rawValue, LOCK_UN) == 0)
        try split()
        #expect(try names().allSatisfy { !$0.hasSuffix(".partial") })
        try webarc("verify", "stick/s.webarc.001")
    }

    /// As on SIGTERM: whatever the run is at, nothing of it stays, and it writes no more.
    @Test(arguments: 1...7) func aRunThatIsGivenUp(_ parts: Int) throws {
        let splitter = ArchiveSplitter(folder.path("s.webarc"), into: folder.path("stick"), partLength: 102_400)
        let count = (archive.count - 1) / 102_400 + 1
        let error = #expect(throws: ArchiveError.self) {
            try splitter.run { progress in
                if progress.items == min(parts, count) { #expect(splitter.abandon()) }
            }
        }
        #expect(error?.code == .io)
        #expect(try names().isEmpty)
        try split()
        #expect(try names().count == count)
    }

    @Test func aRunThatIsDoneStays() throws {
        let splitter = ArchiveSplitter(folder.path("s.webarc"), into: folder.path("stick"), partLength: 102_400)
        let parts = try splitter.run().parts.count
        #expect(!splitter.abandon())
        #expect(try names().count == parts)
        // It can be run again, and what goes wrong then takes nothing away.
        #expect(throws: ArchiveError.self) { try splitter.run() }
        #expect(try names().count == parts)
    }

    /// FAT32 takes no file of 4 GiB: a file with a hole is as long as one without.
    @Test func theDefaultFitsFAT32() throws {
        let help = try webarc("split", "--help").text
        #expect(help.contains("4294967295") || help.contains("4,294,967,295"))
        for size in [nil, "4GiB", "4G", "1M"] {
            let options = size.map { ["--size", $0] } ?? []
            let result = try WebarcTool.run(["split", "s.webarc", "-o", "stick", "--json"] + options, in: folder.url)
            let length = try result.objects.first?["length"] as? Int
            #expect(result.status == 0 && length == archive.count)
            #expect(try names() == ["s.webarc.001"])
            try webarc("verify", "stick/s.webarc.001")
            try FileManager.default.removeItem(atPath: folder.path("stick/s.webarc.001").string)
        }
    }

    /// A piece out of the middle heals as well as any other, and parts as one archive do.
    @Test func partsHeal() throws {
        try webarc("key", "create", "k.key")
        try webarc("sign", "s.webarc", "--key", "k.key", "--series", "s")
        // The second part has the whole of the second block, and pieces of others.
        try split("200K")
        let whole = try folder.read("s.webarc")
        for source in ["stick/s.webarc.002", "stick/s.webarc.001"] {
            var bytes = whole
            bytes[280_000] ^= 1
            try folder.write("s.webarc", bytes)
            try webarc("heal", "s.webarc", "--from", source, "-o", "healed.webarc")
            #expect(try folder.read("healed.webarc") == whole, "\(source)")
        }
        var part = try folder.read("stick/s.webarc.002")
        part[50_000] ^= 1
        try folder.write("stick/s.webarc.002", part)
        try folder.write("s.webarc", whole)
        try webarc("heal", "stick/s.webarc.001", "--from", "s.webarc", "-o", "healed.webarc")
        #expect(try folder.read("healed.webarc") == whole)
    }
}
