// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive

@testable import WebArchivePacking

/// That the mapping is one to one: URL to file path and back, file path to URL and back.
@Suite struct URLFileNamePropertyTests {
    private func both() throws -> [URLFileName] {
        [try URLFileName(), try URLFileName(indexName: Array("a".utf8))]
    }

    @Test func urlsComeBack() throws {
        var random = FileNameTestRandom()
        for names in try both() {
            var seen: [String: [[[UInt8]]: CanonicalURL]] = [:]
            var escaped = 0
            for _ in 0..<2_000 {
                let url = try random.url()
                let filePath = names.filePath(of: url)
                try #require(isSafe(filePath), "\(url) \(shown(filePath)) seed \(random.seed)")
                try #require(filePath.allSatisfy(FileNameRules.allow), "\(url) \(shown(filePath)) seed \(random.seed)")
                try #require(
                    try names.url(of: filePath, at: url) == url, "\(url) \(shown(filePath)) seed \(random.seed)")
                let root = String(decoding: url.root, as: UTF8.self)
                let other = seen[root, default: [:]].updateValue(url, forKey: filePath)
                try #require(other == nil || other == url, "\(url) seed \(random.seed)")
                escaped += shown(filePath).contains("%webarc%") ? 1 : 0
            }
            #expect(escaped > 400)
        }
    }

    @Test func filePathsComeBack() throws {
        var random = FileNameTestRandom()
        for names in try both() {
            for _ in 0..<2_000 {
                let filePath = random.filePath()
                if !filePath.allSatisfy(FileNameRules.allow) { continue }
                let site = try random.site()
                let url = try names.url(of: filePath, at: site)
                try #require(url.root == site.root)
                try #require(names.filePath(of: url) == filePath, "\(url) \(shown(filePath)) seed \(random.seed)")
            }
        }
    }

    /// An ordinary name is spelled so that percent-decoding gives it back.
    @Test func ordinaryNamesAreDecodable() throws {
        var random = FileNameTestRandom()
        let names = try URLFileName()
        for _ in 0..<1_500 {
            let filePath = random.filePath()
            if filePath.contains(where: { $0.starts(with: EscapedName.mark) }) || filePath.last == names.indexName {
                continue
            }
            let url = try names.url(of: filePath, at: CanonicalURL("https://h"))
            var decoded: [UInt8] = []
            PercentEncoding.appendDecoded(url.path, to: &decoded)
            #expect(decoded == filePath.flatMap { [0x2F] + $0 }, "\(shown(filePath)) seed \(random.seed)")
            #expect(url.query == nil)
        }
    }

    /// Every file path of up to three components out of those that are hard to tell apart.
    @Test func everyCombination() throws {
        let filler = String(repeating: "x", count: 246)
        let components = [
            "a", "index.html", "%webarc%", "%webarc%%webarc%", "%webarc%a", "%webarc%a?", "%webarc%a^-", "%webarc%.",
            "%webarc%^2F", "%webarc%index.html",
            "%webarc%\(filler)^", "%webarc%\(filler.dropFirst())?^", "%webarc%%webarc%\(filler.dropFirst(8))^",
            "%webarc+\(filler)^", "%webarc+x",
            "%webarc+\(filler)",
            "%webarc+", "%webarc+\(filler)x", "%webarc%%25webarc%25",
        ].map { Array($0.utf8) }
        let names = try URLFileName()
        for text in ["https://h/", "foo://h", "urn:"] {
            let site = try CanonicalURL(text)
            var urls: Set<CanonicalURL> = []
            var filePaths: [[[UInt8]]] = [[]]
            for _ in 0..<3 {
                filePaths = filePaths.flatMap { path in components.map { path + [$0] } }
                for filePath in filePaths {
                    let url = try names.url(of: filePath, at: site)
                    try #require(names.filePath(of: url) == filePath, "\(url) \(shown(filePath))")
                    try #require(urls.insert(url).inserted)
                }
            }
        }
    }

    /// Escaped file paths packed as though they were an ordinary tree, time and again.
    @Test func escapesOfEscapes() throws {
        var random = FileNameTestRandom()
        let names = try URLFileName()
        for _ in 0..<150 {
            var url = try random.url()
            for _ in 0..<5 {
                let filePath = names.filePath(of: url)
                try #require(try names.url(of: filePath, at: url) == url, "\(url) seed \(random.seed)")
                var near = filePath
                near[near.indices.randomElement(using: &random) ?? 0] = random.filePath()[0]
                try #require(
                    names.filePath(of: names.url(of: near, at: url)) == near, "\(shown(near)) seed \(random.seed)")
                let plain = Array(url.root) + filePath.flatMap { [0x2F] + URLFileName.token($0) }
                guard url.authority != nil, let next = try? CanonicalURL(utf8: plain) else { break }
                url = next
            }
        }
    }

    /// Sites where "/a" and "/a/b" both exist: with the test of directories no file is in a directory's place.
    @Test func filesAndDirectories() throws {
        var random = FileNameTestRandom()
        let names = try URLFileName()
        for _ in 0..<300 {
            let site = try random.site()
            var urls: Set<CanonicalURL> = []
            for _ in 0..<12 {
                // A directory whose own name is like an escape could still be in a file's way.
                let pieces = ["a", "index.html", "", "%2F", "[]"]
                let last =
                    pieces + [
                        "%25webarc%25a%5E-", "%25webarc%25%252F", "%25webarc%25a", "%25webarc%25index.html",
                        "%25webarc%25", "b?q",
                    ]
                let path =
                    (0..<Int.random(in: 0...3, using: &random))
                    .map { _ in (pieces.randomElement(using: &random) ?? "") + "/" }.joined()
                    + (last.randomElement(using: &random) ?? "")
                let slash = site.authority == nil ? "" : "/"
                // After "urn:", a path that begins with "//" would be something else.
                let url = try? CanonicalURL(String(decoding: site.root, as: UTF8.self) + slash + path)
                if let url, url.root == site.root { urls.insert(url) }
            }
            let needed = directories(urls.map { names.filePath(of: $0) })
            let filePaths = urls.map { url in (url, names.filePath(of: url) { needed.contains($0) }) }
            let present = directories(filePaths.map(\.1))
            #expect(Set(filePaths.map(\.1)).count == urls.count, "seed \(random.seed)")
            for (url, filePath) in filePaths {
                try #require(isSafe(filePath))
                try #require(!present.contains(filePath), "\(url) \(shown(filePath)) seed \(random.seed)")
                try #require(
                    try names.url(of: filePath, at: url) { present.contains($0) } == url,
                    "\(url) \(shown(filePath)) seed \(random.seed)")
            }
        }
    }

    private func directories(_ filePaths: [[[UInt8]]]) -> Set<[[UInt8]]> {
        Set(filePaths.flatMap { path in (1..<path.count).map { Array(path.prefix($0)) } })
    }
}
