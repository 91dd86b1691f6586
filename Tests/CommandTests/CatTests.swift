// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

@Suite("cat")
struct CatTests {
    private let url = SampleArchive.base

    @Test func bytesAndNothingElse() throws {
        let sample = try SampleArchive()
        let digest = ContentDigest(hashing: SampleArchive.image).description
        for name in ["\(url)img/a.png", "HTTPS://example.org:443/./img/a.png#x", digest, digest.uppercased()] {
            let result = try WebarcTool.run("cat", sample.file, name)
            #expect(result.status == 0 && Array(result.output) == SampleArchive.image, "\(name)")
            #expect(result.errorText.isEmpty)
        }
    }

    @Test(arguments: ["/img/a.png", "/img/./a.png#x"])
    func aPathStandsForTheMainPagesHost(_ path: String) throws {
        let sample = try SampleArchive()
        let result = try WebarcTool.run("cat", sample.file, path)
        #expect(result.status == 0 && Array(result.output) == SampleArchive.image, "\(result.errorText)")
        #expect(try WebarcTool.run("why", sample.file, path).lines.first == "GET \(url)img/a.png")
        #expect(try WebarcTool.run("ls", sample.file, "--url", "/img").lines == ["\(url)img/a.png"])
    }

    @Test(arguments: [
        ("img/a.png", "'/img/a.png'"), ("/img/A.PNG", "https://example.org/img/a.png"),
    ])
    func whatIsNearIsNamed(_ name: String, _ nearest: String) throws {
        let sample = try SampleArchive()
        let result = try WebarcTool.run("cat", sample.file, name)
        #expect(result.status != 0 && result.errorText.contains(nearest), "\(result.errorText)")
    }

    @Test func newestCapture() throws {
        let sample = try SampleArchive(commits: 4)
        for name in ["news", "news/", "tie"] {
            #expect(try WebarcTool.run("cat", sample.file, url + name).text == "News number 3")
        }
    }

    @Test func redirectsOnlyWhenToldTo() throws {
        let sample = try SampleArchive()
        let plain = try WebarcTool.run("cat", sample.file, "\(url)old")
        #expect(plain.status == 0 && plain.output.isEmpty && plain.errorText.contains("--follow"))
        let followed = try WebarcTool.run("cat", sample.file, "\(url)old", "--follow")
        #expect(followed.status == 0 && Array(followed.output) == SampleArchive.page && followed.errorText.isEmpty)
        let circle = try WebarcTool.run("cat", sample.file, "\(url)loop", "--follow")
        #expect(circle.status == 1 && circle.errorText.contains("loop"))
    }

    @Test func headWithoutControls() throws {
        let sample = try SampleArchive()
        let result = try WebarcTool.run("cat", sample.file, "\(url)index.html", "--head")
        #expect(result.lines == ["200", "Content-Type: text/html; charset=utf-8", "X-Odd: caf\u{E9} \\x1b[31m"])
        #expect(try WebarcTool.run("cat", sample.file, "\(url)old", "--head").lines == ["301", "Location: older"])
    }

    @Test func missingURL() throws {
        let sample = try SampleArchive()
        for name in ["\(url)nothing", "\(url)_headers", "\(url)form", String(repeating: "0", count: 32)] {
            let result = try WebarcTool.run("cat", sample.file, name)
            #expect(result.status == 1 && result.output.isEmpty && result.errorLines.count == 1, "\(name)")
        }
    }

    @Test func nothingOfADamagedBlock() throws {
        let sample = try SampleArchive()
        let result = try WebarcTool.run("cat", sample.damagedInBlock(), "\(url)index.html")
        #expect(result.status == 1 && result.output.isEmpty && result.errorText.contains("(byte 96)"))
    }
}
