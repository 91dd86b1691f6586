// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

/// Whatever moment a writer is killed at, and whatever the system refuses, the last whole commit stays readable.
@Suite("Crashes", .serialized)
struct CrashTests {
    let folder = try! TemporaryFolder()  // A test without a folder has nothing to say.

    static let isRoot = geteuid() == 0
    /// Containers may have a root that must not mount.
    static let canMount = isRoot && (try? ExternalTool.run(["unshare", "--mount", "true"]).status) == 0

    /// Two sites that share nothing, of some hundred kilobytes each.
    init() throws {
        var generator = SeededGenerator(seed: 11)
        for site in ["first", "second"] {
            for number in 0..<40 {
                let bytes = generator.bytes(8_000, mask: 31)
                try folder.write("\(site)/\(number).bin", bytes)
            }
        }
    }

    private func webarc(_ arguments: String...) throws -> ExternalTool.Result {
        try WebarcTool.run(arguments, in: folder.url)
    }

    /// Runs the tool so that the system ends it when a file grows beyond `length` bytes: no handler runs, as with a power cut.
    private func webarc(cutAt length: Int, _ arguments: [String]) throws -> ExternalTool.Result {
        let limit = #"exec prlimit --fsize="$0" -- "$@""#
        return try ExternalTool.run(["sh", "-c", limit, "\(length)", WebarcTool.path] + arguments, in: folder.url)
    }

    private func listing(_ name: String = "a.webarc") throws -> String { try webarc("ls", name, "--json").text }

    private func checkWhole(_ expected: [String], _ moment: String) throws {
        #expect(try webarc("verify", "a.webarc").status == 0, "\(moment)")
        #expect(expected.contains(try listing()), "\(moment)")
    }

    /// Lengths all over a file, the last bytes among them, where footers are written.
    private func lengths(upTo length: Int) -> [Int] {
        (1..<12).map { length * $0 / 12 } + [
            97, 161, length - 4_096, length - 200, length - 64, length - 63, length - 1,
        ]
    }

    #if os(Linux)
        @Test func packCutShortLeavesNoArchive() throws {
            #expect(try webarc("pack", "first", "-o", "a.webarc").status == 0)
            let whole = try folder.read("a.webarc")
            try FileManager.default.removeItem(atPath: folder.path("a.webarc").string)
            for length in lengths(upTo: whole.count) {
                let result = try webarc(cutAt: length, ["pack", "first", "-o", "a.webarc"])
                #expect(result.status != 0, "cut at \(length)")
                #expect(!FileManager.default.fileExists(atPath: folder.path("a.webarc").string), "cut at \(length)")
            }
            // The remains of a killed writer do not hinder another writer.
            #expect(try webarc("pack", "first", "-o", "a.webarc").status == 0)
            #expect(try folder.read("a.webarc") == whole)
        }

        @Test func replacementCutShortLeavesTheOldArchive() throws {
            #expect(try webarc("pack", "first", "-o", "a.webarc").status == 0)
            let old = try folder.read("a.webarc")
            for length in lengths(upTo: old.count) {
                _ = try webarc(cutAt: length, ["pack", "second", "-o", "a.webarc"])
                #expect(try folder.read("a.webarc") == old, "cut at \(length)")
            }
        }

        @Test func appendCutShortLeavesTheLastCommit() throws {
            #expect(try webarc("pack", "first", "-o", "base.webarc").status == 0)
            let base = try folder.read("base.webarc")
            let before = try listing("base.webarc")
            try folder.write("a.webarc", base)
            #expect(try webarc("pack", "second", "-o", "a.webarc", "--append").status == 0)
            let grown = try folder.read("a.webarc").count
            let after = try listing()
            for length in lengths(upTo: grown - base.count).map({ base.count + $0 }) {
                try folder.write("a.webarc", base)
                #expect(try webarc(cutAt: length, ["pack", "second", "-o", "a.webarc", "--append"]).status != 0)
                #expect(try webarc("ls", "a.webarc", "--json").text == before, "cut at \(length)")
                #expect(try webarc("pack", "second", "-o", "a.webarc", "--append").status == 0, "cut at \(length)")
                try checkWhole([after], "after a cut at \(length)")
            }
        }

        @Test func compactionCutShortLeavesTheArchive() throws {
            #expect(try webarc("pack", "first", "-o", "a.webarc").status == 0)
            #expect(try webarc("pack", "second", "-o", "a.webarc", "--append").status == 0)
            let old = try folder.read("a.webarc")
            for length in lengths(upTo: old.count - 2_000) {
                #expect(try webarc(cutAt: length, ["compact", "a.webarc"]).status != 0, "cut at \(length)")
                #expect(try folder.read("a.webarc") == old, "cut at \(length)")
            }
        }

        @Test func killLeavesTheOldArchiveOrTheNew() throws {
            var generator = SeededGenerator()
            print("seed \(generator.seed)")
            #expect(try webarc("pack", "first", "-o", "base.webarc").status == 0)
            let base = try folder.read("base.webarc")
            try folder.write("a.webarc", base)
            let before = try listing()
            #expect(try webarc("pack", "second", "-o", "a.webarc", "--append").status == 0)
            let after = try listing()
            let twoCommits = try folder.read("a.webarc")
            #expect(try webarc("compact", "a.webarc").status == 0)
            let compacted = try listing()
            for round in 0..<40 {
                let isAppend = round % 2 == 0
                try folder.write("a.webarc", isAppend ? base : twoCommits)
                let arguments = isAppend ? ["pack", "second", "-o", "a.webarc", "--append"] : ["compact", "a.webarc"]
                // The tool may be anywhere in its work by then: every moment must be safe.
                let moment = String(Double.random(in: 0.001...0.06, using: &generator))
                _ = try ExternalTool.run(
                    ["timeout", "-s", "KILL", moment, WebarcTool.path] + arguments, in: folder.url)
                let listed = try listing()
                #expect(
                    (isAppend ? [before, after] : [after, compacted]).contains(listed),
                    "\(arguments), killed after \(moment) s")
                // A torn tail is reported, and nothing else is wrong.
                let findings = try webarc("verify", "a.webarc", "--json").text
                #expect(!findings.contains("\"error\""), "\(arguments), killed after \(moment) s: \(findings)")
            }
        }

        @Test(
            "A full disk is an error that says so, and the archive stays as it was",
            .enabled(if: Self.canMount, "only root can mount a disk"))
        func fullDiskAsRoot() throws {
            let disk = folder.path("disk").string
            try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
            let mounted = try ExternalTool.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk])
            try #require(
                mounted.status == 0, "a small tmpfs is needed, and only root can mount one: \(mounted.errorText)")
            defer { _ = try? ExternalTool.run(["umount", disk]) }
            #expect(try webarc("pack", "first", "-o", "disk/a.webarc").status == 0)
            let old = try folder.read("disk/a.webarc")
            for arguments in [
                ["pack", "second", "-o", "disk/a.webarc"], ["pack", "second", "-o", "disk/a.webarc", "--append"],
                ["pack", "second", "-o", "disk/b.webarc"],
            ] {
                let result = try WebarcTool.run(arguments, in: folder.url)
                #expect(result.status == 74, "\(arguments)")
                #expect(result.errorLines.count == 1)
                #expect(result.errorText.contains("No space left on device"), "\(result.errorText)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: disk) == ["a.webarc"], "\(arguments)")
                #expect(try webarc("verify", "disk/a.webarc").status == 0, "\(arguments)")
            }
            #expect(try webarc("verify", "disk/a.webarc", "--json").text.contains("\"error\"") == false)
            // Only the recovery slot in the header may differ from before.
            #expect(try folder.read("disk/a.webarc")[96...] == old[96...])
        }

        @Test(
            "A folder that cannot be written to is named",
            .enabled(if: Self.canMount, "only root can mount a disk"))
        func readOnlyFolderAsRoot() throws {
            let disk = folder.path("disk").string
            try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
            #expect(try webarc("pack", "first", "-o", "disk/a.webarc").status == 0)
            let mounted = try ExternalTool.run(["mount", "--bind", disk, disk])
            try #require(mounted.status == 0, "a mount is needed, and only root can make one: \(mounted.errorText)")
            defer { _ = try? ExternalTool.run(["umount", disk]) }
            #expect(try ExternalTool.run(["mount", "-o", "remount,ro,bind", disk]).status == 0)
            for arguments in [
                ["pack", "second", "-o", "disk/b.webarc"], ["pack", "second", "-o", "disk/a.webarc", "--append"],
                ["compact", "disk/a.webarc"], ["unpack", "disk/a.webarc", "-C", "disk/out"],
            ] {
                let result = try WebarcTool.run(arguments, in: folder.url)
                #expect(result.status == 74, "\(arguments): \(result.errorText)")
                #expect(result.errorText.contains("Read-only file system"), "\(result.errorText)")
                #expect(result.errorLines.count == 1)
            }
            #expect(try webarc("verify", "disk/a.webarc").status == 0)
        }

        @Test func unreadableFile() throws {
            // Root reads everything, so that another user has to fail.
            let user = Self.isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
            #expect(try ExternalTool.run(["chmod", "-R", "a+rX", folder.url.path]).status == 0)
            #expect(try ExternalTool.run(["chmod", "000", folder.path("first/7.bin").string]).status == 0)
            let elsewhere = try ExternalTool.run(["mktemp", "-d"]).text.split(separator: "\n")[0]
            defer { try? FileManager.default.removeItem(atPath: String(elsewhere)) }
            #expect(try ExternalTool.run(["chmod", "777", String(elsewhere)]).status == 0)
            let result = try ExternalTool.run(
                user + [WebarcTool.path, "pack", folder.path("first").string, "-o", "\(elsewhere)/a.webarc"])
            #expect(result.status == 74, "\(result.errorText)")
            #expect(result.errorText.contains("first/7.bin") && result.errorText.contains("Permission denied"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: String(elsewhere)).isEmpty)
        }

        @Test func oneOfTwoWritersWorks() throws {
            #expect(try webarc("pack", "first", "-o", "a.webarc").status == 0)
            let writer = try ArchiveWriter(appendingTo: folder.path("a.webarc"))
            for arguments in [
                ["pack", "second", "-o", "a.webarc"], ["pack", "second", "-o", "a.webarc", "--append"],
                ["compact", "a.webarc"],
            ] {
                let result = try WebarcTool.run(arguments, in: folder.url)
                #expect(result.status == 75, "\(arguments)")
                #expect(result.errorText.contains("another program is writing"), "\(result.errorText)")
            }
            try writer.add(ArchiveRequest(url: "http://h/"), response: nil)
            try writer.commit()
            #expect(try webarc("verify", "a.webarc").status == 0)
        }
    #endif
}
