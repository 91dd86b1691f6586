// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

/// `pack --like`, as a publisher of editions uses it.
@Suite("pack --like")
struct PackLikeTests {
    private let folder: TemporaryFolder

    /// An edition of a site of 300 pages, packed, and the files of the next one: a new page before all others, and a few changed ones.
    init() throws {
        folder = try TemporaryFolder()
        var random = SeededGenerator(seed: 21)
        for number in 100..<400 {
            let words = (0..<1_500).map { _ in String(UInt32.random(in: 0..<5_000, using: &random), radix: 36) }
            let page = "<!DOCTYPE html><title>Page \(number)</title><p>\(words.joined(separator: " "))</p>"
            try folder.write("site/\(number).html", page.utf8)
        }
        #expect(try webarc("key", "create", "k").status == 0)
        let packed = try webarc(
            "pack", "site", "-o", "1.webarc", "--base-url", "https://docs.example/a/", "--sign", "k")
        #expect(packed.status == 0, "\(packed.errorText)")
        try folder.write(
            "site/000.html", "<!DOCTYPE html><title>News</title>\(String(repeating: "news ", count: 4_000))".utf8)
        for number in [120, 220, 320] {
            try folder.write("site/\(number).html", try folder.read("site/\(number).html") + "<p>changed</p>".utf8)
        }
    }

    @discardableResult
    private func webarc(_ arguments: String...) throws -> ExternalTool.Result {
        try WebarcTool.run(arguments, in: folder.url)
    }

    private func pack(_ name: String, _ arguments: String...) throws {
        let result = try WebarcTool.run(["pack", "site", "-o", name] + arguments, in: folder.url)
        #expect(result.status == 0, "\(result.errorText)")
    }

    private func patchLength(to name: String, _ arguments: String...) throws -> Int {
        let result = try WebarcTool.run(["diff", "1.webarc", name, "-o", "p"] + arguments, in: folder.url)
        #expect(result.status == 0, "\(result.errorText)")
        #expect(try webarc("patch", "1.webarc", "p", "-o", "result.webarc").status == 0)
        #expect(try folder.read("result.webarc") == folder.read(name))
        return try folder.read("p").count
    }

    /// A patch has the changed blocks.
    @Test func portablePatchesAreSmaller() throws {
        try pack("2.webarc", "--base-url", "https://docs.example/a/", "--sign", "k")
        try pack("like.webarc", "--like", "1.webarc", "--sign", "k")
        let (like, plain) = try (
            patchLength(to: "like.webarc", "--portable"), patchLength(to: "2.webarc", "--portable")
        )
        #expect(like < plain / 3, "\(like) and \(plain) bytes")
        #expect(try webarc("verify", "like.webarc", "--key", "k.pub").status == 0)
    }

    @Test func theBaseURLIsThatOfTheEarlierEditionUnlessAnotherIsGiven() throws {
        try pack("2.webarc", "--like", "1.webarc")
        #expect(try ArchiveReader(path: folder.path("2.webarc")).entry(for: "https://docs.example/a/000.html") != nil)
        try pack("3.webarc", "--like", "1.webarc", "--base-url", "https://other.example/")
        #expect(try ArchiveReader(path: folder.path("3.webarc")).entry(for: "https://other.example/000.html") != nil)
    }

    @Test func theNewArchiveMayReplaceTheEarlierEdition() throws {
        try pack("2.webarc", "--like", "1.webarc")
        try pack("1.webarc", "--like", "1.webarc")
        #expect(try folder.read("1.webarc") == folder.read("2.webarc"))
    }

    @Test func severalFoldersArePackedLikeOneEdition() throws {
        try folder.write("more/extra.html", "<p>Extra".utf8)
        let result = try webarc("pack", "site", "more", "-o", "2.webarc", "--like", "1.webarc")
        #expect(result.status == 0, "\(result.errorText)")
        #expect(try ArchiveReader(path: folder.path("2.webarc")).entry(for: "https://docs.example/a/extra.html") != nil)
        #expect(try patchLength(to: "2.webarc") < folder.read("2.webarc").count / 50)
    }

    @Test(arguments: [
        ("nosuch", 74, "nosuch: the file does not exist"), ("k.pub", 2, "k.pub"), ("cut.webarc", 1, "cut.webarc"),
        ("torn.webarc", 1, "torn.webarc"),
    ])
    func anEditionThatCannotBeReadIsRefused(_ name: String, _ status: Int32, _ text: String) throws {
        try folder.write("cut.webarc", folder.read("1.webarc").prefix(20_000))
        var torn = try folder.read("1.webarc")
        for place in torn.count / 4..<torn.count / 4 + 200_000 where place < torn.count * 3 / 4 { torn[place] ^= 0x55 }
        try folder.write("torn.webarc", torn)
        let result = try webarc("pack", "site", "-o", "2.webarc", "--like", name)
        #expect(result.status == status && result.errorText.contains(text), "\(result.status) \(result.errorText)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("2.webarc").string))
    }

    @Test func itIsNotForAnArchiveThatIsAddedTo() throws {
        let result = try webarc("pack", "site", "-o", "1.webarc", "--append", "--like", "1.webarc")
        #expect(result.status == 64 && result.errorText.contains("--append"), "\(result.errorText)")
    }
}
