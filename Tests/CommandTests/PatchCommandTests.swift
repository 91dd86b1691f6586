// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

/// `diff` and `patch`, as a publisher and a reader use them, with archives that have dictionaries.
@Suite struct PatchCommandTests {
    private let folder: TemporaryFolder

    /// Two editions of a site of 300 pages, of which each page changed a little, both signed.
    init() throws {
        folder = try TemporaryFolder()
        #expect(try webarc("key", "create", "k").status == 0)
        var random = SeededGenerator(seed: 15)
        let words = (0..<300).map { _ in
            (0..<400).map { _ in String(UInt32.random(in: 0..<5_000, using: &random), radix: 36) }.joined(
                separator: " ")
        }
        for edition in 1...2 {
            for (number, text) in words.enumerated() {
                let page = "<!DOCTYPE html><title>Page \(number)</title><p>Version 1.\(edition)</p><p>\(text)</p>"
                try folder.write("site/\(number).html", Array(page.utf8))
            }
            let packed = try webarc(
                "pack", "site", "-o", "\(edition).webarc", "--base-url", "https://docs.example/", "--sign", "k")
            #expect(packed.status == 0, "\(packed.errorText)")
        }
    }

    private func webarc(_ arguments: String...) throws -> ExternalTool.Result {
        try WebarcTool.run(arguments, in: folder.url)
    }

    private func counts(_ result: ExternalTool.Result) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    }

    @Test func aPatchIsASmallPartOfTheNewArchive() throws {
        let result = try webarc("diff", "1.webarc", "2.webarc", "-o", "p", "--json")
        #expect(result.status == 0, "\(result.errorText)")
        let (counts, patch, new) = (try counts(result), try folder.read("p"), try folder.read("2.webarc"))
        #expect(counts["patchLength"] as? Int == patch.count && counts["newLength"] as? Int == new.count)
        #expect(counts["changedBodies"] as? Int ?? 0 >= 300 && patch.count < new.count / 50)
        #expect(try webarc("patch", "1.webarc", "p", "-o", "result.webarc", "--key", "k.pub").status == 0)
        #expect(try folder.read("result.webarc") == new)
    }

    @Test func theOldArchiveItselfCanBecomeTheNewOne() throws {
        #expect(try webarc("diff", "1.webarc", "2.webarc", "-o", "p", "--level", "19", "--portable").status == 0)
        #expect(try webarc("patch", "1.webarc", "p", "-o", "1.webarc").status == 0)
        #expect(try folder.read("1.webarc") == folder.read("2.webarc"))
        // It is another archive now.
        let again = try webarc("patch", "1.webarc", "p", "-o", "1.webarc")
        #expect(
            again.status == 75 && again.errorText.contains("was made from a different archive"), "\(again.errorText)")
    }

    @Test(arguments: [
        (["diff", "1.webarc", "nosuch", "-o", "p"], 74, "nosuch: the file does not exist"),
        (["diff", "1.webarc", "2.webarc", "-o", "k.pub"], 73, "not a patch"),
        (["diff", "1.webarc", "2.webarc", "-o", "p", "--level", "20"], 64, "1 to 19"),
        (["diff", "1.webarc", "k.pub", "-o", "p"], 2, "k.pub"),
        (["patch", "1.webarc", "k.pub", "-o", "3.webarc"], 2, "not a patch"),
    ])
    func errors(_ arguments: [String], _ status: Int32, _ text: String) throws {
        let result = try WebarcTool.run(arguments, in: folder.url)
        #expect(result.status == status && result.errorText.contains(text), "\(result.status) \(result.errorText)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("p").string))
    }

    /// A full disk: the file system of the target takes 100 KB.
    @Test func aFullDiskLeavesTheOldArchive() throws {
        #expect(try webarc("diff", "1.webarc", "2.webarc", "-o", "p").status == 0)
        let old = try folder.read("1.webarc")
        let result = try ExternalTool.run(
            ["sh", "-c", "ulimit -f 100; exec \(WebarcTool.path) patch 1.webarc p -o 1.webarc"], in: folder.url)
        #expect(result.status != 0)
        #expect(try folder.read("1.webarc") == old)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.contains("partial") }
                .isEmpty)
    }

    /// Kills at moments of their own: the target is the old archive or the new one, and a killed run keeps no other from its work.
    @Test(arguments: 0..<20 * testEffort)
    func killedWhileItPatches(_ run: Int) throws {
        #expect(try webarc("diff", "1.webarc", "2.webarc", "-o", "p").status == 0)
        let (old, new) = (try folder.read("1.webarc"), try folder.read("2.webarc"))
        _ = try ExternalTool.run(
            [
                "timeout", "-s", "KILL", String(format: "0.%03d", 5 * run + 1), WebarcTool.path, "patch", "1.webarc",
                "p", "-o", "1.webarc",
            ],
            in: folder.url)
        let bytes = try folder.read("1.webarc")
        #expect(bytes == old || bytes == new)
        if bytes == old {
            #expect(try webarc("patch", "1.webarc", "p", "-o", "1.webarc").status == 0)
            #expect(try folder.read("1.webarc") == new)
        }
    }
}
