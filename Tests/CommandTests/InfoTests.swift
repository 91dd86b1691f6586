// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("info")
struct InfoTests {
    @Test func partsAddUpToTheLength() throws {
        let sample = try SampleArchive(commits: 3)
        let object = try #require(try WebarcTool.run("info", sample.file, "--json").objects.first)
        let space = try #require(object["space"] as? [String: Int])
        #expect(space.values.reduce(0, +) == object["length"] as? Int)
        #expect(object["length"] as? Int == (try sample.folder.read("sample.webarc").count))
        for name in ["mediaTypes", "directories"] {
            let groups = try #require(object[name] as? [[String: Any]])
            func sum(_ key: String) -> Int { groups.compactMap { $0[key] as? Int }.reduce(0, +) }
            #expect(sum("bytes") == object["bodyBytes"] as? Int)
            #expect(sum("stored") == space["bodies"])
            #expect(sum("entries") == (object["entries"] as? Int ?? 0) - (object["aliases"] as? Int ?? 0))
        }
        let saved = try #require(object["saved"] as? [String: Int])
        // copy.html shares the page's body, and tie the news' in both later commits.
        #expect(saved["deduplication"] == SampleArchive.page.count + 2 * "News number 1".count)
        #expect((object["metadata"] as? [String: String])?["title"] == "Sample 2")
        #expect((object["commits"] as? [[String: Any]])?.count == 3)
    }

    @Test func textTellsTheSame() throws {
        let sample = try SampleArchive()
        let result = try WebarcTool.run("info", sample.file)
        for word in [
            "USE OF SPACE", "SAVINGS", "BY MEDIA TYPE", "BY DIRECTORY", "image/png", "Sample",
            "https://example.org/img/", "deduplication", "1 commit, 10 entries",
        ] { #expect(result.text.contains(word), "\(word)") }
        #expect(!result.text.contains("COMMITS"))
    }

    @Test func damagedBodyIsCounted() throws {
        let sample = try SampleArchive()
        let (whole, damaged) = (
            try WebarcTool.run("info", sample.file), try WebarcTool.run("info", sample.damagedInBlock())
        )
        #expect(damaged.status == 0 && damaged.lines.dropFirst() == whole.lines.dropFirst())
    }

    @Test func depthMergesFolders() throws {
        let sample = try SampleArchive()
        let object = try #require(try WebarcTool.run("info", sample.file, "--json", "--depth", "0").objects.first)
        let directories = try #require(object["directories"] as? [[String: Any]])
        #expect(directories.map { $0["directory"] as? String } == ["https://example.org/"])
    }
}
