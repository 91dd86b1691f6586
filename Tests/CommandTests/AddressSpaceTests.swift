// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

/// Limits to the address space: a command works, or ends with an error that says so.
#if os(Linux)
    @Suite("A limit to the address space")
    struct AddressSpaceTests {
        private func run(_ kibibytes: Int, _ arguments: [String]) throws -> HostileArchive.Outcome {
            try HostileArchive.run(
                ["sh", "-c", "ulimit -v \(kibibytes); exec \"$@\"", "sh", WebarcTool.path] + arguments)
        }

        private func commands(_ archive: SampleArchive) throws -> [[String]] {
            let (out, folder) = (archive.folder.path("out.webarc").string, archive.folder.path("out").string)
            try archive.folder.write("site/index.html", Array("<p>page".utf8))
            return [
                ["ls", "-l", archive.file], ["info", archive.file], ["verify", "--threads", "16", archive.file],
                ["unpack", archive.file, "-C", folder, "--threads", "16", "--force"],
                ["pack", archive.folder.path("site").string, "-o", out, "--threads", "16"],
                ["compact", archive.file, "-o", out],
            ]
        }

        @Test(arguments: [262_144, 400_000, 1_000_000]) func enough(_ kibibytes: Int) throws {
            let archive = try SampleArchive()
            for arguments in try commands(archive) {
                let outcome = try run(kibibytes, arguments)
                #expect(outcome.status == 0, "\(arguments): \(outcome.status) \(outcome.errors)")
            }
        }

        @Test(arguments: [160_000, 250_000]) func tooLittle(_ kibibytes: Int) throws {
            let archive = try SampleArchive()
            for arguments in try commands(archive) {
                let outcome = try run(kibibytes, arguments)
                #expect(outcome.status == 74 && outcome.errors.contains("ulimit -v"), "\(arguments): \(outcome.errors)")
            }
        }
    }
#endif
