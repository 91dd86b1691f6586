// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

@Suite struct ArchiveMatcherTests {
    private struct Stored {
        var url: String
        var method = "GET"
        var headers: HeaderFields = []
        var sent: [UInt8]?
        var vary: String?
        var time: Int64 = 0
        var role = ArchiveEntry.Role.exchange
        var label: String
    }

    /// An archive whose responses carry a label each.
    private func archive(_ stored: [Stored]) throws -> ArchiveReader {
        try ArchiveReader(
            bytes: SampleArchive.bytes { writer in
                for stored in stored {
                    var fields: HeaderFields = ["X-Label": stored.label]
                    if let vary = stored.vary { fields.append(name: "Vary", value: vary) }
                    try writer.add(
                        ArchiveRequest(method: stored.method, url: stored.url, headers: stored.headers),
                        requestBody: stored.sent.map { try writer.addBody($0) },
                        response: ArchiveResponse(headers: fields),
                        time: ArchiveTime(nanoseconds: stored.time), role: stored.role)
                }
            })
    }

    /// The label of what answers, and the rules.
    private func response(
        _ archive: ArchiveReader, _ url: String, method: String = "GET", headers: HeaderFields = [],
        sent: [UInt8]? = nil, time: Int64 = 0, options: ArchiveMatcher.Options = ArchiveMatcher.Options()
    ) throws -> (label: String, rules: [MatchRule])? {
        let request = try MatchRequest(
            url: CanonicalURL(url), method: method, headers: headers,
            bodyDigest: sent.map { ContentDigest(hashing: $0) },
            time: ArchiveTime(nanoseconds: time))
        let matcher = ArchiveMatcher(archive, options: options)
        let match = try matcher.match(request)
        let explanation = try matcher.explain(request)
        // Both ways come to the same.
        #expect(try explanation.match?.entry.key == match?.entry.key)
        #expect(explanation.match?.rules == match?.rules)
        #expect((explanation.steps.last?.outcome == .matched) == (match != nil))
        return try match.map { (try $0.entry.response?.headers["X-Label"] ?? "", $0.rules) }
    }

    @Test func exact() throws {
        let archive = try archive([
            Stored(url: "https://a.example/", label: "one"),
            Stored(url: "https://a.example/", method: "POST", sent: [1], label: "two"),
            Stored(url: "https://a.example/", method: "POST", sent: [2], label: "three"),
            Stored(url: "https://a.example/_headers", role: .unpackOnly, label: "four"),
        ])
        let first = try #require(try response(archive, "HTTPS://A.example:443/#here"))
        #expect(first.label == "one" && first.rules == [.exact])
        #expect(try response(archive, "https://a.example/", method: "POST", sent: [2])?.label == "three")
        #expect(try response(archive, "https://a.example/", method: "POST", sent: [3]) == nil)
        #expect(try response(archive, "https://a.example/", method: "post", sent: [1]) == nil)
        #expect(try response(archive, "https://a.example/_headers") == nil)
    }

    @Test func vary() throws {
        let url = "https://a.example/"
        let archive = try archive([
            Stored(url: url, headers: ["Accept-Language": "de, en"], vary: "Accept-Language", time: 1, label: "de"),
            Stored(
                url: url, headers: ["accept-language": "fr"], vary: "accept-encoding, ACCEPT-LANGUAGE", time: 2,
                label: "fr"),
            Stored(url: url, vary: "Accept-Language", time: 3, label: "none"),
            Stored(url: url, vary: "*", time: 4, label: "star"),
        ])
        func ask(_ language: String?, _ options: ArchiveMatcher.Options = .init()) throws -> (
            label: String, rules: [MatchRule]
        )? {
            let fields: HeaderFields = language.map { ["Accept-Language": $0, "Accept-Encoding": "br"] } ?? []
            return try response(archive, url, headers: fields, options: options)
        }
        #expect(try ask("fr")?.label == "fr")
        #expect(try ask("de,en")?.label == "de")
        #expect(try ask(" de ,  en")?.label == "de")
        #expect(try ask(nil)?.label == "none")
        #expect(try ask("de, en")?.rules == [.exact])
        let other = try #require(try ask("it"))
        #expect(other.label == "star" && other.rules == [.anyVariant])
        #expect(try ask("it", .exactOnly) == nil)
        #expect(try ask("en, de", .exactOnly) == nil)
    }

    @Test func headFromGet() throws {
        let archive = try archive([
            Stored(url: "https://a.example/", label: "get"),
            Stored(url: "https://a.example/2", label: "get"),
            Stored(url: "https://a.example/2", method: "HEAD", label: "head"),
        ])
        #expect(try response(archive, "https://a.example/2", method: "HEAD")?.label == "head")
        #expect(try response(archive, "https://a.example/2", method: "HEAD")?.rules == [.exact])
        #expect(try response(archive, "https://a.example/", method: "HEAD")?.rules == [.headFromGet])
        #expect(try response(archive, "https://a.example/", method: "HEAD", options: .exactOnly) == nil)
        #expect(try response(archive, "https://a.example/", method: "PUT") == nil)
    }

    @Test func directoryIndexes() throws {
        let archive = try archive([
            Stored(url: "https://a.example/one/", label: "one"),
            Stored(url: "https://a.example/two/index.html?q", label: "two"),
            Stored(url: "https://a.example/three/default.htm", label: "three"),
            Stored(url: "https://a.example/file", label: "file"),
        ])
        #expect(try response(archive, "https://a.example/one/index.html")?.label == "one")
        #expect(try response(archive, "https://a.example/one")?.rules == [.directoryIndex])
        #expect(try response(archive, "https://a.example/two/?q")?.label == "two")
        #expect(try response(archive, "https://a.example/two?q")?.label == "two")
        #expect(try response(archive, "https://a.example/two/") == nil)
        #expect(try response(archive, "https://a.example/file/") == nil)
        #expect(try response(archive, "https://a.example/three/") == nil)
        let options = ArchiveMatcher.Options(indexNames: ["index.html", "default.htm"])
        #expect(try response(archive, "https://a.example/three", options: options)?.label == "three")
        #expect(try response(archive, "https://a.example/one", options: .init(rules: [.otherScheme])) == nil)
    }

    /// A link writes a reserved character as it likes (RFC 3986 section 2.2), a file has it as itself.
    @Test func reservedCharacters() throws {
        let archive = try archive([
            Stored(url: "https://a.example/operator=.html", label: "self"),
            Stored(url: "https://a.example/f%28x%29.html", label: "triplets"),
            Stored(url: "https://a.example/both=", label: "both, self"),
            Stored(url: "https://a.example/both%3D", label: "both, triplet"),
            Stored(url: "https://a.example/set/!$&'()*+,;=:@", label: "all"),
            Stored(url: "https://a.example/dir(1)/index.html?q=(", label: "index"),
        ])
        func ask(_ path: String, _ options: ArchiveMatcher.Options = .init()) throws -> (
            label: String, rules: [MatchRule]
        )? {
            try response(archive, "https://a.example/" + path, options: options)
        }
        #expect(try ask("operator%3d.html")?.label == "self")
        #expect(try ask("operator%3D.html")?.rules == [.reservedCharacters])
        #expect(try ask("f(x).html")?.label == "triplets")
        #expect(try ask("f(x%29.html")?.rules == [.reservedCharacters])
        // The exact key is first.
        #expect(try ask("both=")?.label == "both, self" && ask("both%3D")?.label == "both, triplet")
        #expect(try ask("set/%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A%40")?.label == "all")
        #expect(try ask("dir%281%29?q=(")?.rules == [.reservedCharacters, .directoryIndex])
        // No other triplet is decoded, nothing is decoded twice, and a query keeps its spelling.
        #expect(try ask("set%2F!$&'()*+,;=:@") == nil)
        #expect(try ask("operator%253D.html") == nil)
        #expect(try ask("dir(1)/?q=%28") == nil)
        #expect(try ask("operator%3D.html", .exactOnly) == nil)
    }

    @Test func emptySegments() throws {
        let archive = try archive([
            Stored(url: "https://a.example/images/left.png", label: "one"),
            Stored(url: "https://a.example/x//y", label: "two"),
        ])
        for path in ["images//left.png", "/images/left.png", "//images///left.png"] {
            let found = try response(archive, "https://a.example/" + path)
            #expect(found?.label == "one" && found?.rules == [.emptySegments], "\(path)")
        }
        #expect(try response(archive, "https://a.example/x//y")?.rules == [.exact])
        #expect(try response(archive, "https://a.example/x/y") == nil)
        #expect(try response(archive, "https://a.example/images//left.png", options: .exactOnly) == nil)
    }

    @Test func htmlExtensions() throws {
        let archive = try archive([
            Stored(url: "https://a.example/about.html", label: "file"),
            Stored(url: "https://a.example/both.html", label: "file"),
            Stored(url: "https://a.example/both/index.html", label: "directory"),
            Stored(url: "https://a.example/x.html.html", label: "twice"),
        ])
        #expect(try response(archive, "https://a.example/about")?.rules == [.htmlExtension])
        #expect(try response(archive, "https://a.example/both")?.label == "directory")
        #expect(try response(archive, "https://a.example/about/") == nil)
        #expect(try response(archive, "https://a.example/x.html") == nil)
        #expect(try response(archive, "https://a.example/x") == nil)
        #expect(try response(archive, "https://a.example/about", options: .exactOnly) == nil)
    }

    @Test func ignoredParameters() throws {
        let archive = try archive([
            Stored(url: "https://a.example/p?v=1&id=7", time: 1, label: "old"),
            Stored(url: "https://a.example/p?id=7&v=2", time: 2, label: "new"),
            Stored(url: "https://a.example/p?id=8", label: "other"),
            Stored(url: "https://a.example/q", label: "bare"),
            Stored(url: "https://a.example/r?_=1", label: "stamp"),
        ])
        let options = ArchiveMatcher.Options(ignoredParameters: ["utm_*", "v", "_"])
        func ask(_ url: String, time: Int64 = 0) throws -> String? {
            try response(archive, "https://a.example/" + url, time: time, options: options)?.label
        }
        #expect(try ask("p?id=7&v=2") == "new")
        #expect(try ask("p?id=7") == "new")
        #expect(try ask("p?utm_source=x&id=7&utm_=y&v") == "new")
        #expect(try ask("p?id=7", time: 1) == "old")
        #expect(try ask("p?id=9&v=1") == nil)
        #expect(try ask("p?ID=7") == nil)
        #expect(try ask("q?utm_medium=mail") == "bare")
        #expect(try ask("q?utm=mail") == nil)
        #expect(try ask("r") == "stamp")
        #expect(try ask("r?_=2") == "stamp")
        #expect(try response(archive, "https://a.example/p?id=7") == nil)
        #expect(try response(archive, "https://a.example/p?id=7", options: options)?.rules == [.ignoredParameters])
    }

    /// A query of no parameters that count is as good as none.
    @Test(arguments: [
        ("", "?", true), ("", "?_=1", true), ("", "?_=1&_", true), ("", "?&", false), ("?_=1", "?", true),
        ("?a", "?a&_", true), ("?_=2&a", "?_=3&a&_=4", true), ("?a", "?a&", false), ("?a&", "?a&", true),
        ("?a&b", "?b&a", false), ("?a", "?a&a", false), ("?a", "?_", false), ("?&a", "?_&&a", true),
    ]) func parametersThatCount(stored: String, asked: String, isFound: Bool) throws {
        let options = ArchiveMatcher.Options(rules: [.ignoredParameters], ignoredParameters: ["_"])
        for (stored, asked) in [(stored, asked), (asked, stored)] {
            let archive = try archive([Stored(url: "https://a.example/p\(stored)", label: "found")])
            #expect(
                (try response(archive, "https://a.example/p\(asked)", options: options) != nil) == isFound,
                "\(asked) of \(stored)")
        }
    }

    @Test func otherScheme() throws {
        let archive = try archive([
            Stored(url: "http://a.example/", label: "http"), Stored(url: "https://b.example/", label: "https"),
            Stored(url: "http://c.example:8080/", label: "port"),
        ])
        #expect(try response(archive, "https://a.example/")?.rules == [.otherScheme])
        #expect(try response(archive, "http://b.example/")?.label == "https")
        #expect(try response(archive, "https://c.example:8080/") == nil)
        #expect(try response(archive, "ftp://a.example/") == nil)
        #expect(try response(archive, "https://a.example/", options: .exactOnly) == nil)
    }

    @Test func withoutQuery() throws {
        let archive = try archive([
            Stored(url: "https://a.example/p", label: "bare"), Stored(url: "https://a.example/p?x=1", label: "one"),
            Stored(url: "https://a.example/p", method: "POST", label: "sent"),
            Stored(url: "http://a.example/q?x=1", label: "scheme"), Stored(url: "https://a.example/q", label: "last"),
            Stored(url: "https://a.example/dir/", label: "index"),
        ])
        func ask(_ path: String, method: String = "GET") throws -> (label: String, rules: [MatchRule])? {
            try response(archive, "https://a.example/" + path, method: method, options: .serving)
        }
        #expect(try ask("p?x=1")?.rules == [.exact])
        #expect(try ask("p?x=2")?.label == "bare" && ask("p?x=2")?.rules == [.withoutQuery])
        #expect(try ask("p?")?.rules == [.withoutQuery])
        #expect(try ask("p?x=2", method: "HEAD")?.rules == [.headFromGet, .withoutQuery])
        #expect(try ask("p?x=2", method: "POST") == nil)
        // It is the last rule: what keeps the query comes first.
        #expect(try ask("q?x=1")?.label == "scheme")
        #expect(try ask("dir?x=1")?.rules == [.directoryIndex, .withoutQuery])
        #expect(try ask("none?x=1") == nil)
        // A library does not take it unasked.
        #expect(try response(archive, "https://a.example/p?x=2") == nil)
        #expect(try response(archive, "https://a.example/p?x=2", options: .exactOnly) == nil)
    }

    /// Rules combine, and what needs only earlier ones is preferred.
    @Test func combinations() throws {
        let archive = try archive([
            Stored(url: "http://a.example/dir/?v=1", headers: ["A": "1"], vary: "A", label: "far"),
            Stored(url: "https://b.example/dir/", label: "index"), Stored(url: "http://b.example/dir", label: "scheme"),
        ])
        let options = ArchiveMatcher.Options(ignoredParameters: ["v"])
        let far = try #require(try response(archive, "https://a.example/dir?v=2", method: "HEAD", options: options))
        #expect(far.label == "far")
        #expect(far.rules == [.anyVariant, .headFromGet, .directoryIndex, .ignoredParameters, .otherScheme])
        #expect(try response(archive, "https://b.example/dir")?.label == "index")
        for rule in far.rules {
            let fewer = ArchiveMatcher.Options(rules: options.rules.subtracting([rule]), ignoredParameters: ["v"])
            #expect(try response(archive, "https://a.example/dir?v=2", method: "HEAD", options: fewer) == nil)
        }
    }

    @Test func times() throws {
        let url = "https://a.example/"
        let stored = [3, 7, 5].map { Stored(url: url, time: $0, label: "\($0)") }
        let archive = try archive(stored)
        for (time, label) in [(0, "7"), (100, "7"), (7, "7"), (6, "5"), (5, "5"), (4, "3"), (3, "3"), (1, "3")] {
            #expect(try response(archive, url, time: Int64(time))?.label == label, "at \(time)")
        }
        // The nearest one, before or after.
        let far = try self.archive([10, 20].map { Stored(url: url, time: $0, label: "\($0)") })
        for (time, label) in [(14, "10"), (15, "10"), (16, "20"), (.max, "20"), (.min, "10")] as [(Int64, String)] {
            #expect(try response(far, url, time: time)?.label == label, "at \(time)")
        }
        let unknown = try self.archive(stored + [Stored(url: url, label: "unknown")])
        #expect(try response(unknown, url, time: 1)?.label == "unknown")
        #expect(try response(unknown, url)?.label == "7")
        // Specification section 8.2: the number 0, after which a time before 1970 comes.
        let early = try self.archive([Stored(url: url, time: -3, label: "-3"), Stored(url: url, label: "unknown")])
        #expect(try response(early, url)?.label == "unknown")
        #expect(try response(early, url, time: -1)?.label == "unknown")
        #expect(try response(early, url, time: -2)?.label == "-3")
    }

    /// A capture that fits the request's fields is preferred to a nearer one that does not.
    @Test func timesOfVariants() throws {
        let url = "https://a.example/"
        let archive = try archive(
            [("de", 1), ("en", 2), ("de", 9)].map { language, time in
                Stored(
                    url: url, headers: ["Accept-Language": language], vary: "Accept-Language", time: time,
                    label: "\(language)\(time)")
            })
        func label(_ language: String, _ time: Int64) throws -> String? {
            try response(archive, url, headers: ["Accept-Language": language], time: time)?.label
        }
        #expect(try label("de", 2) == "de1")
        #expect(try label("de", 6) == "de9")
        #expect(try label("en", 9) == "en2")
        #expect(try label("fr", 3) == "en2")
    }

    /// An entry without a response is one of the captures.
    @Test func timeWithoutAResponse() throws {
        let url = try CanonicalURL("https://a.example/")
        let archive = try ArchiveReader(
            bytes: SampleArchive.bytes { writer in
                try SampleArchive.page("https://a.example/", nil, writer, time: 10)
                try writer.add(
                    ArchiveRequest(url: url.description), response: nil, time: ArchiveTime(nanoseconds: 20))
            })
        for (time, hasResponse) in [(nil, false), (14, true), (16, false)] as [(Int64?, Bool)] {
            let request = MatchRequest(url: url, time: time.flatMap(ArchiveTime.init(nanoseconds:)))
            #expect(try (ArchiveMatcher(archive).match(request)?.entry.response != nil) == hasResponse)
        }
    }

    /// Captures of several commits are one row in time.
    @Test func commits() throws {
        func page(_ time: Int64) -> (ArchiveWriter) throws -> Void {
            { try SampleArchive.page("https://a.example/", nil, $0, time: time) }
        }
        let archive = try ArchiveReader(bytes: SampleArchive.bytes(page(5), more: [page(9), page(7)]))
        let matcher = ArchiveMatcher(archive)
        for (time, expected) in [(0, 9), (8, 7), (6, 5), (1, 5)] as [(Int64, Int64)] {
            let request = try MatchRequest(
                url: CanonicalURL("https://a.example/"), time: ArchiveTime(nanoseconds: time))
            #expect(try matcher.match(request)?.entry.time?.nanoseconds == expected)
        }
    }

    /// The nearest capture is found in a commit before one with as many as are looked at.
    @Test func manyCapturesInTheLastCommit() throws {
        func pages(_ times: some Sequence<Int64>) -> (ArchiveWriter) throws -> Void {
            { writer in for time in times { try SampleArchive.page("https://a.example/", nil, writer, time: time) } }
        }
        let archive = try ArchiveReader(bytes: SampleArchive.bytes(pages([5, 7]), more: [pages(100..<2100)]))
        for (time, expected) in [(6, 5), (53, 7), (54, 100), (1500, 1500)] as [(Int64, Int64)] {
            let request = try MatchRequest(
                url: CanonicalURL("https://a.example/"), time: ArchiveTime(nanoseconds: time))
            #expect(try ArchiveMatcher(archive).match(request)?.entry.time?.nanoseconds == expected)
        }
    }

    /// A URL with more captures than are looked at is answered nevertheless.
    @Test func manyCaptures() throws {
        let archive = try ArchiveReader(
            bytes: SampleArchive.bytes { writer in
                for time in 1...3000 { try SampleArchive.page("https://a.example/", nil, writer, time: Int64(time)) }
            })
        let url = try CanonicalURL("https://a.example/")
        let match = try ArchiveMatcher(archive).match(MatchRequest(url: url))
        #expect(try match?.entry.time?.nanoseconds == 3000)
        #expect(try CaptureList(of: url, in: archive).entries.count == CaptureList.limit)
        for (time, expected) in [(50, 50), (1, 1), (2001, 2001), (3000, 3000), (-5, 1)] as [(Int64, Int64)] {
            let request = MatchRequest(url: url, time: ArchiveTime(nanoseconds: time))
            #expect(try ArchiveMatcher(archive).match(request)?.entry.time?.nanoseconds == expected)
        }
    }

    /// Any number of other requests to a URL hides none: all of an API may go to one URL.
    @Test func manyRequestsToOneURL() throws {
        let url = try CanonicalURL("https://a.example/graphql")
        let archive = try ArchiveReader(
            bytes: SampleArchive.bytes { writer in
                for number in 0..<2500 {
                    let method = number < 1200 ? "DELETE" : "POST"
                    try writer.add(
                        ArchiveRequest(method: method, url: url.description),
                        requestBody: method == "POST" ? writer.addBody(Array("query \(number)".utf8)) : nil,
                        response: ArchiveResponse(reason: "\(number)"), time: ArchiveTime(nanoseconds: Int64(number)))
                }
                try writer.add(ArchiveRequest(url: url.description), response: ArchiveResponse(reason: "GET"))
            })
        func reason(_ method: String, _ body: String?) throws -> String? {
            let digest = body.map { ContentDigest(hashing: Array($0.utf8)) }
            let request = MatchRequest(url: url, method: method, bodyDigest: digest)
            return try ArchiveMatcher(archive, options: .exactOnly).match(request)?.entry.response?.reason
        }
        #expect(try reason("GET", nil) == "GET")
        #expect(try reason("DELETE", nil) == "1199")
        for number in 1200..<2500 { #expect(try reason("POST", "query \(number)") == "\(number)") }
        #expect(try reason("POST", "query 7") == nil)
        #expect(try reason("POST", nil) == nil)
        #expect(try reason("PUT", nil) == nil)
    }
}
