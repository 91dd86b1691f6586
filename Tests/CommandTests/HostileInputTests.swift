// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Hostile archives")
struct HostileInputTests {
    @Test func anyBytesEndWithADocumentedStatus() throws {
        let sample = try SampleArchive(commits: 2)
        let length = try sample.folder.read("sample.webarc").count
        var generator = SeededGenerator()
        for _ in 0..<20 {
            let file = try sample.damaged { bytes in
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    bytes[Int.random(in: 0..<length, using: &generator)] = .random(in: 0...255, using: &generator)
                }
                if Bool.random(using: &generator) { bytes.removeLast(Int.random(in: 0..<length, using: &generator)) }
            }
            let target = sample.folder.path("out").string
            for arguments in [
                ["ls", file, "--json"], ["info", file], ["verify", file], ["cat", file, SampleArchive.base],
                ["compact", file, "-o", target], ["merge", file, sample.file, "-o", target],
                ["extract", file, "-o", target, "--exclude", "img/"],
            ] {
                let result = try WebarcTool.run(arguments)
                #expect([0, 1, 2].contains(result.status), "\(arguments) seed \(generator.seed): \(result.errorText)")
                #expect(!result.errorText.contains("Fatal error"), "\(arguments) seed \(generator.seed)")
                #expect(result.errorLines.allSatisfy { $0.hasPrefix("webarc: ") }, "seed \(generator.seed)")
            }
        }
    }
}
