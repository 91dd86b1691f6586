// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchive

@Suite struct CanonicalURLTests {
    @Test func examples() throws {
        for (text, canonical) in CanonicalURLExamples.valid {
            #expect(try CanonicalURL(text).description == canonical, "\(text.debugDescription)")
            #expect(CanonicalURL.isCanonical(utf8: Array(canonical.utf8)))
            #expect(CanonicalURL.isCanonical(utf8: Array(text.utf8)) == (text == canonical))
        }
    }

    @Test func errors() {
        for (text, reason) in CanonicalURLExamples.invalid {
            #expect(throws: reason, "\(text.debugDescription)") { try CanonicalURL(text) }
            #expect(!CanonicalURL.isCanonical(utf8: Array(text.utf8)))
            #expect(!reason.description.isEmpty)
        }
    }

    /// RFC 3986 section 6.2.2.
    @Test func equivalentSpellings() throws {
        #expect(try CanonicalURL("HTTP://www.EXAMPLE.com/") == CanonicalURL("http://www.example.com/"))
        #expect(try CanonicalURL("example://a/b/c/%7Bfoo%7D") == CanonicalURL("eXAMPLE://a/./b/../b/%63/%7bfoo%7d"))
    }

    /// RFC 3986 section 6.2.3.
    @Test(arguments: ["http://example.com", "http://example.com/", "http://example.com:/", "http://example.com:80/"])
    func equivalentSpellingsOfTheDefaultPort(_ text: String) throws {
        #expect(try CanonicalURL(text).description == "http://example.com/")
    }

    @Test func initializersAgree() throws {
        let text = "http://example.org/\u{E9}"
        let fromMemory = try Array(text.utf8).withUnsafeBytes { try CanonicalURL(utf8: $0) }
        #expect(try fromMemory == CanonicalURL(text))
        #expect(try CanonicalURL(utf8: Array(text.utf8)) == CanonicalURL(text))
        #expect(try CanonicalURL(utf8: Array("http://h/".utf8) + [0xFF, 0x80]).description == "http://h/%FF%80")
    }

    @Test func order() throws {
        let texts = [
            "http://a/", "http://a/%7B", "http://a/A", "http://a/a", "http://a/a/", "http://a/aa", "https://a/",
        ]
        let urls = try texts.map { try CanonicalURL($0) }
        #expect(urls.shuffled().sorted().map(\.description) == texts)
        #expect(Set(urls + urls).count == urls.count)
    }

    @Test func lengthLimit() throws {
        let limit = CanonicalURL.maximumLength
        let base = "http://h/"
        let longest = base + String(repeating: "a", count: limit - base.utf8.count)
        #expect(try CanonicalURL(longest).bytes.count == limit)
        #expect(throws: InvalidURL.tooLong) { try CanonicalURL(longest + "a") }
        #expect(throws: InvalidURL.tooLong) { try CanonicalURL(longest + "#") }
        #expect(throws: InvalidURL.tooLong) { try CanonicalURL(utf8: Array((longest + " ").utf8)) }
        #expect(throws: InvalidURL.tooLong) {
            try Array((longest + " ").utf8).withUnsafeBytes { try CanonicalURL(utf8: $0) }
        }
        #expect(throws: InvalidURL.tooLong) {
            try CanonicalURL("http://h/" + String(repeating: " ", count: 22_000) + "a")
        }
        #expect(throws: InvalidURL.tooLong) { try CanonicalURL("http:" + "//" + longest.dropFirst(9) + "aaa/..") }
        // Longer on the way, not at the end.
        #expect(try CanonicalURL(base + String(repeating: "\"", count: 22_000) + "/..").description == base)
    }

    /// A quadratic step would take minutes here.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["/", "/a/..", "/..", "a/", "%", "%2e", "%2E/", "@", ":", "[", "\n", "?", "#"],
        ["http://h", "http://h/", "foo:", "http://"])
    func longInputsAreLinear(piece: String, start: String) throws {
        let text = start + String(repeating: piece, count: (65_000 - start.utf8.count) / piece.utf8.count)
        if let url = try? CanonicalURL(text) {
            #expect(CanonicalURL.isCanonical(utf8: url.bytes))
            _ = try? url.resolving("../" + text.dropFirst(start.count))
        }
    }

    @Test func canonicalFormIsFixed() throws {
        var random = URLTestRandom()
        var canonical = 0
        for _ in 0..<20_000 {
            let text = random.urlText()
            guard let url = try? CanonicalURL(utf8: text) else { continue }
            canonical += 1
            let again = try CanonicalURL(utf8: url.bytes)
            #expect(again == url, "\(text) seed \(random.seed)")
            #expect(try CanonicalForm.bytes(of: URLReference(url.bytes)) == url.bytes, "\(text) seed \(random.seed)")
            // Brackets stand around an IP literal only.
            #expect(url.bytes.allSatisfy { ASCIISet.urlText.contains($0) || "%[]".utf8.contains($0) }, "\(text)")
            #expect((url.path + (url.query ?? [])).allSatisfy { !"[]".utf8.contains($0) }, "\(text)")
            #expect(CanonicalURL.isCanonical(utf8: text) == (text == url.bytes), "\(text) seed \(random.seed)")
        }
        #expect(canonical > 5_000)
    }

    /// The short cut must never disagree with the algorithm, and must be taken for its URLs.
    @Test func shortCut() throws {
        var random = URLTestRandom()
        for _ in 0..<20_000 {
            let tail = random.text(
                of: ["/", "a", ".", "%41", "%25", "%2f", "%2F", "?", "#", "B", "+", "%", "-", " ", "@", ":"], upTo: 8)
            let head =
                ["http://", "https://", "http://h", "http://a.b-c_d", "https://h/", "HTTP://h/", "ftp://h/"]
                .randomElement(using: &random) ?? ""
            let text = Array(head.utf8) + tail
            if CanonicalForm.isEvident(text) {
                #expect(try CanonicalForm.bytes(of: URLReference(text)) == text, "\(text) seed \(random.seed)")
            }
        }
        for text in ["http://example.org/", "https://a-b.example.org/x/y.html?q=%C3%A9&r=/./"] {
            #expect(CanonicalForm.isEvident(Array(text.utf8)))
        }
        for text in [
            "http:///", "http://h", "http://h/a/./b", "http://h/%2f", "http://h/%41", "http://H/", "http://h/#",
        ] {
            #expect(!CanonicalForm.isEvident(Array(text.utf8)))
        }
    }
}
