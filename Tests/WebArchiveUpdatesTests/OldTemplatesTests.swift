// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing
import WebArchiveFormat

@testable import WebArchive
@testable import WebArchiveUpdates

/// Commits of an old archive as templates of new ones: what they give, and what they cost.
@Suite struct OldTemplatesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// An archive of two commits: one of many short texts, one of a long one.
    private func archive() throws -> StoredArchive {
        let path = folder.path("old.webarc")
        for texts in [2_000, 1] {
            let writer = texts > 1 ? try ArchiveWriter(creating: path) : try ArchiveWriter(appendingTo: path)
            for number in 0..<texts {
                try writer.add(
                    ArchiveRequest(url: "https://site.example/\(texts)/\(number)"), response: ArchiveResponse(),
                    body: writer.addBody(Array("text \(number) of \(texts)".utf8)))
            }
            try writer.setMetadata("text-\(texts)", to: String(repeating: "text", count: 100_000))
            try writer.commit()
        }
        return StoredArchive(try ArchiveReader(path: path))
    }

    /// Two commits of the old archive as the templates of many records in turn: each is sorted and coded anew each time, but for the first.
    @Test func templatesInTurnAreTakenApartAsOftenAsTheyAreWorth() throws {
        let old = try archive()
        let templates = OldTemplates(try OldBodies(old, PatchLimits(old, patchLength: 1_000)))
        // The budget and the charges as the specification has them.
        var contents = 0
        for row in 0..<old.blockCount { contents += Int(try old.block(row).length) }
        let budget = 256 << 20 + 8 * min(contents, 32 * Int(old.committedLength))
        let costs = try (0..<2).map { number in
            let classes = try old.classTable(ofCommit: number)
            let rows = IndexClass.allCases.reduce(0) { $0 + Int(classes[$1]?.rowCount ?? 0) }
            let bytes = old.layouts[number].sections.sections.filter { $0.kind != .blocks }
            return 512 * rows + 4 * bytes.reduce(0) { $0 + Int($1.extent.length) }
        }
        #expect(costs[0] > budget / 200 && costs[0] < budget / 4)
        var (left, count) = (budget, 0)
        while left >= costs[count % 2] {
            left -= costs[count % 2]
            count += 1
        }
        for number in 0..<count + 2 {
            // The same one with other flags costs nothing.
            for flag in [true, false, true] { _ = try templates.streams(of: number % 2, derivesHashTable: flag) }
        }
        #expect(throws: ArchiveError(.limitExceeded, "")) {
            try templates.streams(of: count % 2, derivesHashTable: true)
        }
    }

    /// Both forms of a template's index are those of the specification, in whichever order they are asked for.
    @Test func aTemplateGivesTheStreamForItsFlags() throws {
        let old = try archive()
        let image = try CommitImage(old, 0)
        for flags in [[true, false, true], [false, true, false]] {
            let templates = OldTemplates(try OldBodies(old, PatchLimits(old, patchLength: 0)))
            for flag in flags {
                let expected = try IndexStream(classes: image.classes, derivesHashTable: flag)
                    .encode(image.index(), ranks: image.ranks.ranks)
                #expect(try templates.streams(of: 0, derivesHashTable: flag).index == expected)
            }
        }
    }
}
