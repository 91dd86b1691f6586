// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

@Suite("cat")
struct CatTests {
    private let url = SampleArchive.base

    @Test("writes the bytes of a URL or a digest, and nothing else")
    func bytes() throws {
        let sample = try SampleArchive()
        let digest = ContentDigest(hashing: SampleArchive.image).description
        for name in ["\(url)img/a.png", "HTTPS://example.org:443/./img/a.png#x", digest, digest.uppercased()] {
            let result = try WebarcTool.run("cat", sample.file, name)
            #expect(result.status == 0 && Array(result.output) == SampleArchive.image, "\(name)")
            #expect(result.errorText.isEmpty)
        }
    }

    @Test("takes the newest of several captures, and the later commit among equal times")
    func newest() throws {
        let sample = try SampleArchive(commits: 4)
        for name in ["news", "news/", "tie"] {
            #expect(try WebarcTool.run("cat", sample.file, url + name).text == "News number 3")
        }
    }

    @Test("follows redirects only when told to")
    func redirects() throws {
        let sample = try SampleArchive()
        let plain = try WebarcTool.run("cat", sample.file, "\(url)old")
        #expect(plain.status == 0 && plain.output.isEmpty && plain.errorText.contains("--follow"))
        let followed = try WebarcTool.run("cat", sample.file, "\(url)old", "--follow")
        #expect(followed.status == 0 && Array(followed.output) == SampleArchive.page && followed.errorText.isEmpty)
        let circle = try WebarcTool.run("cat", sample.file, "\(url)loop", "--follow")
        #expect(circle.status == 1 && circle.errorText.contains("circle"))
    }

    @Test("--head prints status and fields, with nothing that a terminal would obey")
    func head() throws {
        let sample = try SampleArchive()
        let result = try WebarcTool.run("cat", sample.file, "\(url)index.html", "--head")
        #expect(result.lines == ["200", "Content-Type: text/html; charset=utf-8", "X-Odd: caf\u{E9} \\x1b[31m"])
        #expect(try WebarcTool.run("cat", sample.file, "\(url)old", "--head").lines == ["301", "Location: older"])
    }

    @Test("What is not there gives 1 and a hint")
    func missing() throws {
        let sample = try SampleArchive()
        for name in ["\(url)nothing", "\(url)_headers", "\(url)form", String(repeating: "0", count: 32)] {
            let result = try WebarcTool.run("cat", sample.file, name)
            #expect(result.status == 1 && result.output.isEmpty && result.errorLines.count == 1, "\(name)")
        }
    }

    @Test("Not a byte of a damaged block is written")
    func damage() throws {
        let sample = try SampleArchive()
        let result = try WebarcTool.run("cat", sample.damagedInBlock(), "\(url)index.html")
        #expect(result.status == 1 && result.output.isEmpty && result.errorText.contains("(byte 96)"))
    }
}
