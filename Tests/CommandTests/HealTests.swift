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

    @Test(arguments: [
        (["heal", "s.webarc"], 64, "--from"),
        (["heal", "s.webarc", "--from", "nosuch"], 74, "nosuch: the file does not exist"),
        (["heal", "site/0.html", "--from", "copy.webarc"], 2, "no other file has the missing information"),
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
