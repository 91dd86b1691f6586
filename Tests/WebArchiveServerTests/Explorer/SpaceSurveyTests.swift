// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay
@testable import WebArchiveServer

@Suite struct SpaceSurveyTests {
    /// Not to be shrunk, so that what is stored is what was given.
    private static func noise(_ count: Int, _ seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        return random.bytes(count)
    }

    private func site() throws -> ReplaySite {
        let shared = Self.noise(40_000, 1)
        let sample = try ReplaySample(withSite: false) { writer in
            try ReplaySample.add("https://a.example/", "text/html", Self.noise(1000, 2), writer)
            try ReplaySample.add("https://a.example/img/one.png", "image/png", shared, writer)
            try ReplaySample.add("https://a.example/img/two.png", "image/png", shared, writer)
            try ReplaySample.add("https://a.example/img/deep/three.png", "image/png", Self.noise(5000, 3), writer)
            try ReplaySample.add("https://a.example/img-other?x=/y/", "image/gif", Self.noise(300, 4), writer)
            try ReplaySample.add("https://b.example/x", "video/mp4", Self.noise(700_000, 5), writer)
            try ReplaySample.add("urn:a:b", "text/plain", [], writer)
        }
        return try ReplaySite([ArchiveReader(path: sample.path)])
    }

    @Test func byFolder() throws {
        let site = try site()
        let all = try SpaceSurvey(site, prefix: "")
        let sizes = Dictionary(uniqueKeysWithValues: all.parts.map { ($0.prefix, $0.amount.length) })
        #expect(sizes == ["https://b.example/": 700_000, "https://a.example/": 46_300, "urn:": 0])
        #expect(all.parts.first?.prefix == "https://b.example/")
        #expect(all.total.entries == 7 && all.total.length == 746_300 && !all.isCut)

        let inner = try SpaceSurvey(site, prefix: "https://a.example/")
        let parts = Dictionary(uniqueKeysWithValues: inner.parts.map { ($0.prefix, $0.amount) })
        #expect(Set(parts.keys) == ["https://a.example/", "https://a.example/img/"])
        // Two entries of one body.
        #expect(parts["https://a.example/img/"]?.length == 45_000 && parts["https://a.example/img/"]?.entries == 3)
        #expect(parts["https://a.example/"]?.length == 1300 && parts["https://a.example/"]?.entries == 2)
    }

    @Test func byType() throws {
        let survey = try SpaceSurvey(site(), prefix: "")
        let types = survey.types.map { "\($0.name) \($0.amount.length)" }
        #expect(types == ["video/mp4 700000", "image/png 45000", "text/html 1000", "image/gif 300", "text/plain 0"])
        let groups = survey.parts.reduce(into: UInt64(0)) { sum, part in sum += part.groups.values.reduce(0, +) }
        #expect(groups == survey.total.stored)
    }

    /// The stored lengths add up to the blocks of the file, except for rounding.
    @Test func storedBytesAreThoseOfTheBlocks() throws {
        let site = try site()
        let stored = StoredArchive(site.layers[0])
        let blocks = try (0..<stored.blockCount).reduce(UInt64(0)) { try $0 + stored.block($1).stored.length }
        let total = try SpaceSurvey(site, prefix: "").total.stored
        #expect(total <= blocks && blocks - total < 10)
    }

    @Test func manyFoldersAreFew() throws {
        let sample = try ReplaySample(withSite: false) { writer in
            for number in 0..<5000 {
                try ReplaySample.add(
                    "https://a.example/\(number)/x", "t/\(number)", number == 4321 ? [1, 2, 3] : [], writer)
            }
        }
        let survey = try SpaceSurvey(ReplaySite([ArchiveReader(path: sample.path)]), prefix: "https://a.example/")
        #expect(survey.parts.first?.prefix == "https://a.example/4321/")
        #expect(survey.parts.count <= 100 && survey.types.count <= 50)
        let folders = survey.parts.reduce(survey.otherParts.entries) { $0 + $1.amount.entries }
        let types = survey.types.reduce(survey.otherTypes.entries) { $0 + $1.amount.entries }
        #expect(folders == 5000 && types == 5000)
    }

    @Test func aSurveyIsMadeOncePerArchive() throws {
        let sample = try ReplaySample()
        let (cache, first, second) = (SpaceCache(), try sample.responder(), try sample.responder())
        #expect(try cache.survey(first, prefix: "").total.entries == first.site.layers[0].entryCount)
        #expect(try cache.survey(second, prefix: "").total.entries == second.site.layers[0].entryCount)
        #expect(try cache.survey(second, prefix: "https://cdn.example/").total.entries == 1)
    }
}
