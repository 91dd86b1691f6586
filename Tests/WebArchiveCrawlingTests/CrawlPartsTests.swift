// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCrawling

@Suite struct HostPacingTests {
    private static let now = ContinuousClock.now
    /// 1994-11-06T08:49:37Z, the example of RFC 9110 section 5.6.7.
    private static let time = ArchiveTime(seconds: 784_111_777)!

    /// The wait after a response, by its field.
    @Test(arguments: [
        ("7", 7), (" 0 ", 0), ("Sun, 06 Nov 1994 08:49:57 GMT", 20), ("Sun, 06 Nov 1994 08:00:00 GMT", 0), ("soon", 10),
        ("4000000000", 600), ("-1", 10),
    ]) func retryAfter(_ field: String, _ seconds: Int) throws {
        let (one, other) = (try CanonicalURL("https://a.example/1"), try CanonicalURL("https://b.example/"))
        var pacing = HostPacing()
        pacing.pause(one, field, now: Self.now, time: Self.time)
        #expect(pacing.take(one, delay: .zero, now: Self.now) == Self.now + .seconds(seconds))
        #expect(pacing.take(other, delay: .zero, now: Self.now) == Self.now)
    }

    @Test func delays() throws {
        let url = try CanonicalURL("https://a.example/1")
        var pacing = HostPacing()
        let moments = (0..<3).map { _ in pacing.take(url, delay: .seconds(2), now: Self.now) }
        #expect(moments == [0, 2, 4].map { Self.now + .seconds($0) })
    }
}

@Suite struct PlainFileTests {
    @Test(arguments: [
        ("/a.pdf", true), ("/a.tar.gz", true), ("/a.PNG?x=1", true), ("/a.html", false), ("/a.xhtml", false),
        ("/a", false),
        ("/v1.2/", false), ("/index.php", false), ("/.hidden", false), ("/page.jsp", false), ("/feed.xml", false),
    ]) func suffixes(_ path: String, _ isLikely: Bool) throws {
        #expect(PlainFile.isLikely(try CanonicalURL("https://a.example" + path)) == isLikely)
    }

    /// A gzip file is decoded, and one that would be too long or is damaged is not.
    @Test func gzip() throws {
        let text = Array("<urlset/>".utf8)
        let packed = Array(try ExternalTool.run(["gzip", "-c"], input: .init(text)).output)
        #expect(
            GzipFile.decoded(packed, maximumLength: 100) == text && GzipFile.decoded(text, maximumLength: 100) == text)
        #expect(GzipFile.decoded(packed, maximumLength: 8) == nil)
        #expect(GzipFile.decoded(Array(packed.dropLast(9)), maximumLength: 100) == nil)
    }
}
