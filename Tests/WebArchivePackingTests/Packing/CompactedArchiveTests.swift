// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchivePacking

/// The archive of a packed folder of which a part is removed.
@Suite struct CompactedArchiveTests {
    private let test = PackingTest()

    private static let pageCount = 250

    /// Pages with 10 KiB in common and 3 KiB of their own, so that a dictionary helps and a block has some five of them.
    private func writePages(_ random: inout SeededGenerator) throws {
        let words = (0..<1000).map { _ in String(UInt64.random(in: 0 ... .max, using: &random), radix: 36) }
        let frame = words.prefix(800).joined(separator: " ")
        for number in 0..<Self.pageCount {
            let text = (0..<230).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
            try test.write("pages/\(number).html", "<!doctype html><title>\(number)</title>\(frame)<p>\(text)")
        }
    }

    @Test(arguments: [2, 17]) func theRestUnpacksAsItWas(oneOf share: Int) throws {
        var random = SeededGenerator.printed()
        try writePages(&random)
        try test.pack()
        let dictionaries = try StoredArchive(test.reader()).dictionaryBodies().count
        #expect(dictionaries > 0)
        let summary = try ArchiveCompactor(test.archive).run(keeping: { entry throws(ArchiveError) in
            (try Int(entry.key.split(separator: "/").last?.prefix { $0 != "." } ?? "") ?? 0) % share == 0
        })
        let reader = try test.reader()
        #expect(ArchiveVerifier(reader).run().isEmpty)
        for number in 0..<Self.pageCount where number % share != 0 {
            try FileManager.default.removeItem(atPath: test.site.appending("pages/\(number).html").string)
        }
        try test.unpack()
        #expect(try test.difference().isEmpty)
        // The pages are alike, so that each costs about the same; what all have in common stays.
        let stored = StoredArchive(reader)
        #expect(try stored.dictionaryBodies().count == dictionaries)
        #expect(try (0..<stored.blockCount).contains { try stored.block($0).dictionary != nil })
        #expect(summary.bodies == (Self.pageCount - 1) / share + 1)
        if share == 17 { #expect(summary.lengthAfter < summary.lengthBefore / 4) }
    }
}
