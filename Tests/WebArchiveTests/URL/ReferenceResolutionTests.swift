// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

@Suite struct ReferenceResolutionTests {
    @Test func publishedExamples() throws {
        let base = try CanonicalURL("http://a/b/c/d;p?q")
        for (reference, target) in ReferenceExamples.published {
            #expect(try base.resolving(reference) == CanonicalURL(target), "\(reference)")
        }
    }

    /// The same with a scheme of no special treatment, where "//g" has no path.
    @Test func publishedExamplesOfAnotherScheme() throws {
        let base = try CanonicalURL("foo://a/b/c/d;p?q")
        for (reference, target) in ReferenceExamples.published {
            let target = target.replacing("http://", with: "foo://").prefix { $0 != "#" }
            #expect(try base.resolving(reference).description == target, "\(reference)")
        }
    }

    /// The last example of section 5.4.2 is read strictly, and http must have a host.
    @Test func schemeOfTheBaseIsNotIgnored() throws {
        let base = try CanonicalURL("http://a/b/c/d;p?q")
        #expect(throws: InvalidURL.missingAuthority) { try base.resolving("http:g") }
    }

    @Test(arguments: [
        ("foo://h", "g", "foo://h/g"), ("foo://h", "?q", "foo://h?q"), ("foo://h", "", "foo://h"),
        ("foo:///a", "b", "foo:///b"), ("http://h", "//H2:80?x", "http://h2/?x"),
        ("https://h", "//H2:80?x", "https://h2:80/?x"),
        ("http://h/a", " b\n/c ", "http://h/b/c"), ("http://h/a/b", "%2e%2E/c", "http://h/c"),
        ("http://h/a?q", "?", "http://h/a?"),
        ("http://h/a/", "..//b", "http://h//b"), ("http://h/a", "\\\\b", "http://h/%5C%5Cb"),
        ("http://h/a", "1:b", "http://h/1:b"),
        ("urn:a:b", "c", "urn:c"), ("urn:a:b", "#f", "urn:a:b"), ("urn:a/../b", "", "urn:a/../b"),
        ("urn:a/b?q", "../../c", "urn:/c"),
        ("urn:a/b", "%2e/c", "urn:a/c"), ("urn:a", "../b", "urn:b"), ("urn:a", "./..", "urn:"),
        ("urn:a", "//h/../b", "urn://h/b"),
        ("file:/a/b", "..//c", "file:/.//c"), ("file:/.//c", "d", "file:/.//d"), ("file:/a/b", "/c", "file:/c"),
        ("http://h/", "urn:a/../b", "urn:a/../b"), ("http://h/", "HTTPS://H/../%41", "https://h/A"),
    ])
    func moreReferences(base: String, reference: String, target: String) throws {
        #expect(try CanonicalURL(base).resolving(reference).description == target)
    }

    @Test func lengthLimit() throws {
        let half = String(repeating: "a", count: 40_000)
        let base = try CanonicalURL("http://h/\(half)/")
        #expect(throws: InvalidURL.tooLong) { try base.resolving(half) }
        #expect(try base.resolving("../" + half).bytes.count == 40_009)
        #expect(throws: InvalidURL.tooLong) { try base.resolving(String(repeating: "#", count: 65_536)) }
        #expect(throws: InvalidURL.tooLong) { try base.resolving(utf8: Array(repeating: 0x23, count: 65_536)) }
    }

    @Test func targetsAreCanonical() throws {
        var random = URLTestRandom()
        for _ in 0..<10_000 {
            guard let base = try? CanonicalURL(utf8: random.urlText()) else { continue }
            let reference = random.text(
                of: ["/", "..", ".", "a", "?", "//", "#", "%2e", "%41", ":", "%", "é", " ", "\t"], upTo: 8)
            guard let target = try? base.resolving(utf8: reference) else { continue }
            #expect(CanonicalURL.isCanonical(utf8: target.bytes), "\(base) \(reference) seed \(random.seed)")
            #expect(try base.resolving(utf8: target.bytes) == target, "\(base) \(reference) seed \(random.seed)")
        }
    }
}
