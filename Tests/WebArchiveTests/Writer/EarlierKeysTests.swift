// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

/// The commits that a writer searches for a key, and the rows there.
@Suite struct EarlierKeysTests {
    private func places(_ url: String, _ archive: ArchiveReader) throws -> [CaptureList.Place] {
        var keys = EarlierKeys(archive.index)
        return try CanonicalURL(url).bytes.withUnsafeBytes { try keys.places(of: $0) }
    }

    @Test func onlyCommitsThatHoldTheKeyAreSearched() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.webarc")
        var random = SeededGenerator.printed()
        var expected = [[Int]](repeating: [], count: 60)
        for commit in 0..<12 {
            let writer = try commit == 0 ? ArchiveWriter(creating: path) : ArchiveWriter(appendingTo: path)
            for number in expected.indices where commit == 0 && number < 3 || random.chance(4) {
                for _ in 0...Int.random(in: 0...40, using: &random) {
                    try writer.add(
                        ArchiveRequest(url: "http://a/a/long/path/\(number)"), response: ArchiveResponse(status: 404))
                }
                expected[number].insert(commit, at: 0)
            }
            try writer.commit()
        }
        let archive = try ArchiveReader(path: path)
        for (number, commits) in expected.enumerated() {
            let url = "http://a/a/long/path/\(number)"
            let key = try CanonicalURL(url)
            #expect(
                try places(url, archive)
                    == commits.map { commit in
                        let index = archive.index.commits[commit]
                        let row = try (0..<index.entryCount).first { row in
                            try key.bytes.withUnsafeBytes { try index.compareKey(row, with: $0) } == 0
                        }
                        return CaptureList.Place(commit: commit, row: row)
                    })
        }
        #expect(try places("http://a/", archive) == [])
    }

    @Test func aCommitWithDamagedKeysIsAlwaysSearched() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            try SampleArchive.page("https://site.example/", nil, writer)
        }
        #expect(try places("http://a/", surgeon.archive) == [])
        let heap = try #require(try surgeon.classes()[.keyBlock]?.heap)
        let index = try #require(try surgeon.archive.index.commits[0].sections[.index]?.extent)
        // The first key shares bytes with a key before it.
        surgeon.bytes[Int(index.offset + heap.offset)] = 1
        try surgeon.repair()
        #expect(try places("http://a/", surgeon.archive) == [CaptureList.Place(commit: 0, row: nil)])
    }

    @Test func damagedKeysInManyCommitsEndAppending() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.webarc")
        for commit in 0..<66 {
            let writer = try commit == 0 ? ArchiveWriter(creating: path) : ArchiveWriter(appendingTo: path)
            try writer.add(ArchiveRequest(url: "http://a/\(commit)"), response: ArchiveResponse(status: 404))
            try writer.commit()
        }
        var surgeon = ArchiveSurgeon(try folder.read("a.webarc"))
        for commit in 0..<66 {
            let heap = try #require(try surgeon.classes(commit)[.keyBlock]?.heap)
            let index = try #require(try surgeon.archive.index.commits[commit].sections[.index]?.extent)
            surgeon.bytes[Int(index.offset + heap.offset)] = 1
        }
        try surgeon.repair(footersOf: Array(0..<66))
        var keys = EarlierKeys(try surgeon.archive.index, searches: 6)
        let key = Array("http://a/".utf8)
        for _ in 0..<3 {
            #expect(try key.withUnsafeBytes { try keys.places(of: $0) }.count == 66)
        }
        let error = #expect(throws: ArchiveError.self) { try key.withUnsafeBytes { try keys.places(of: $0) } }
        #expect(error?.code == .limitExceeded)
    }
}
