// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import WebArchive

/// The archives of Spec/vectors, as others would write them: the valid ones give no errors, each invalid one does.
@Suite struct VectorFindingTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Spec/vectors")

    private static func names(_ kind: String) -> [String] {
        let all = try? FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(kind).path)
        return (all ?? []).filter { $0.hasSuffix(".webarc") }.sorted()
    }

    private func read(_ kind: String, _ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: Self.folder.appendingPathComponent(kind).appendingPathComponent(name)))
    }

    @Test(arguments: names("valid")) func valid(_ name: String) throws {
        let archive = try ArchiveReader(bytes: read("valid", name))
        let findings = ArchiveVerifier(archive).run()
        // Each but the two whose last commit is damaged; Tests/SpecConformanceTests holds them against expectations.json.
        #expect(findings.filter { $0.severity == .error && !$0.message.hasPrefix("the last commit is damaged") } == [])
        #expect(ArchiveVerifier(archive, threads: 3).run() == findings)
    }

    @Test(arguments: names("invalid")) func invalid(_ name: String) throws {
        guard let archive = try? ArchiveReader(bytes: read("invalid", name)) else { return }
        let findings = ArchiveVerifier(archive).run()
        #expect(findings.contains { $0.severity == .error })
        #expect(ArchiveVerifier(archive, threads: 3).run() == findings)
    }
}
