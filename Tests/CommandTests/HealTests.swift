// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `heal`, as an operator with a second copy uses it.
@Suite struct HealTests {
    private let folder: TemporaryFolder
    private let whole: [UInt8]

    /// A signed archive of 40 pages with blocks of their own, and a copy.
    init() throws {
        folder = try TemporaryFolder()
        var random = SeededGenerator(seed: 15)
        for number in 0..<40 { try folder.write("site/\(number).html", random.bytes(40_000)) }
        for arguments in [
            ["key", "create", "k"],
            ["pack", "site", "-o", "s.webarc", "--base-url", "https://docs.example/", "--sign", "k"],
        ] {
            #expect(try WebarcTool.run(arguments, in: folder.url).status == 0)
        }
        whole = try folder.read("s.webarc")
        try folder.write("copy.webarc", whole)
    }

    private func webarc(_ arguments: String...) throws -> ExternalTool.Result {
        try WebarcTool.run(arguments, in: folder.url)
    }

    /// Overwrites a tenth of the file with zeros.
    private func damage(_ name: String, from start: Int) throws {
        var bytes = try folder.read(name)
        for place in start..<start + whole.count / 10 { bytes[place] = 0 }
        try folder.write(name, bytes)
    }

    @Test func anIntactArchiveComesOfTwoDamagedOnes() throws {
        try damage("s.webarc", from: whole.count / 2)
        try damage("copy.webarc", from: whole.count / 4)
        #expect(try webarc("verify", "s.webarc").status == 1)
        let result = try webarc("heal", "s.webarc", "--from", "copy.webarc", "--key", "k.pub", "--json")
        #expect(result.status == 0, "\(result.errorText)")
        let counts = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
        #expect(counts["lostParts"] as? Int == 0 && counts["coveredLength"] as? Int == whole.count)
        #expect(try folder.read("s.webarc") == whole)
        #expect(try webarc("verify", "s.webarc", "--key", "k.pub").status == 0)
    }

    @Test func partsThatNoFileHasAreCounted() throws {
        try damage("s.webarc", from: whole.count / 2)
        try damage("copy.webarc", from: whole.count / 2)
        let damaged = try folder.read("s.webarc")
        let result = try webarc("heal", "s.webarc", "--from", "copy.webarc")
        #expect(result.status == 1 && result.errorText.contains("still damaged"))
        #expect(try folder.read("s.webarc") == damaged)
    }

    /// Packs an edition that has most of the blocks of the first one at the same offsets.
    private func packAnotherEdition(_ options: String...) throws -> [UInt8] {
        var random = SeededGenerator(seed: 16)
        for number in stride(from: 0, to: 40, by: 5) { try folder.write("site/\(number).html", random.bytes(40_000)) }
        let result = try WebarcTool.run(
            ["pack", "site", "-o", "other.webarc", "--like", "copy.webarc"] + options, in: folder.url)
        #expect(result.status == 0, "\(result.errorText)")
        return try folder.read("other.webarc")
    }

    @Test func anUnsignedArchiveIsLeftAlone() throws {
        let unsigned = try packAnotherEdition()
        let result = try webarc("heal", "other.webarc", "--from", "copy.webarc")
        #expect(result.status == 1 && result.errorText.contains("not signed, so heal cannot tell what is damaged"))
        #expect(try folder.read("other.webarc") == unsigned)
    }

    @Test func anotherEditionDoesNotTakeThePlaceOfOneWithoutItsEnd() throws {
        let cut = Array(try packAnotherEdition("--sign", "k", "--sequence", "9999999999").dropLast(100_000))
        var random = SeededGenerator(seed: 17)
        for damaged in [cut, cut + random.bytes(200_000)] {
            try folder.write("other.webarc", damaged)
            let result = try webarc("heal", "other.webarc", "--from", "copy.webarc", "--key", "k.pub")
            #expect(
                result.status == 1 && result.errorText.contains("none of the other files is a copy of this edition"))
            #expect(!result.errorText.contains(".partial"))
            #expect(try folder.read("other.webarc") == damaged)
        }
    }

    @Test func theEditionThatAnotherFileTellsIsNamed() throws {
        try folder.write("s.webarc", Array(whole.dropLast(100_000)))
        let result = try webarc("heal", "s.webarc", "--from", "copy.webarc", "--json")
        #expect(result.status == 0 && result.errorText.contains(" of docs.example, which copy.webarc has"))
        let counts = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
        #expect(counts["editionFrom"] as? String == "copy.webarc" && counts["series"] as? String == "docs.example")
        #expect(try folder.read("s.webarc") == whole)
    }

    /// The bytes could be a later edition with a damaged end.
    @Test func bytesBehindTheEndAreLeftOutOfAnotherFile() throws {
        var random = SeededGenerator(seed: 18)
        let grown = whole + random.bytes(5_000)
        try folder.write("s.webarc", grown)
        let refused = try webarc("heal", "s.webarc", "--from", "copy.webarc")
        #expect(refused.status == 1 && refused.errorText.contains("into another file"), "\(refused.errorText)")
        #expect(try folder.read("s.webarc") == grown)
        let result = try webarc("heal", "s.webarc", "--from", "copy.webarc", "-o", "healed.webarc", "--json")
        #expect(result.status == 0, "\(result.errorText)")
        let counts = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
        #expect(counts["removedLength"] as? Int == 5_000)
        #expect(try folder.read("healed.webarc") == whole)
    }

    @Test(arguments: [
        (["heal", "s.webarc"], 64, "--from"),
        (["heal", "s.webarc", "--from", "https://docs.example/s.webarc"], 64, "download the copy first"),
        (["heal", "s.webarc", "--from", "nosuch"], 74, "nosuch: the file does not exist"),
        (["heal", "site/0.html", "--from", "copy.webarc"], 2, "none of the other files is a copy"),
        (["heal", "s.webarc", "--from", "copy.webarc", "-o", "site/0.html"], 73, "not an archive"),
    ])
    func errors(_ arguments: [String], _ status: Int32, _ text: String) throws {
        let result = try WebarcTool.run(arguments, in: folder.url)
        #expect(result.status == status && result.errorText.contains(text), "\(result.status) \(result.errorText)")
    }

    /// Kills at moments of their own: the archive is the damaged one or the healed one, and no run is kept from its work by the one before.
    @Test(arguments: 0..<20 * testEffort)
    func killedWhileItHeals(_ run: Int) throws {
        try damage("s.webarc", from: whole.count / 2)
        let damaged = try folder.read("s.webarc")
        _ = try ExternalTool.run(
            [
                "timeout", "-s", "KILL", String(format: "0.%03d", run + 1), WebarcTool.path, "heal", "s.webarc",
                "--from", "copy.webarc",
            ],
            in: folder.url)
        let bytes = try folder.read("s.webarc")
        #expect(bytes == damaged || bytes == whole)
        #expect(try webarc("heal", "s.webarc", "--from", "copy.webarc").status == 0)
        #expect(try folder.read("s.webarc") == whole)
    }
}
