// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive

@Suite struct CanonicalURLPartsTests {
    private func text(_ part: ArraySlice<UInt8>?) -> String? {
        part.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func everyPart() throws {
        let url = try CanonicalURL("https://u:p@x@example.org:8443/a/b?c?d")
        #expect(text(url.scheme) == "https")
        #expect(text(url.authority) == "u:p@x@example.org:8443")
        #expect(text(url.userinfo) == "u:p@x")
        #expect(text(url.host) == "example.org")
        #expect(url.port == 8443)
        #expect(text(url.root) == "https://u:p@x@example.org:8443")
        #expect(text(url.path) == "/a/b")
        #expect(text(url.query) == "c?d")
        #expect(url.isSpecial)
    }

    @Test func absentParts() throws {
        let url = try CanonicalURL("http://[::1]")
        #expect(text(url.host) == "[::1]")
        #expect(url.port == nil)
        #expect(url.userinfo == nil)
        #expect(url.query == nil)
        #expect(try text(CanonicalURL("http://[::1]:81/?").query) == "")
        #expect(try CanonicalURL("http://[::1]:81").port == 81)
        #expect(try text(CanonicalURL("http://h/@:81/").host) == "h")
        #expect(try text(CanonicalURL("foo://h?/x:1@").host) == "h")
    }

    @Test func opaque() throws {
        let url = try CanonicalURL("urn:a:/b@c?q")
        #expect(text(url.scheme) == "urn")
        #expect(url.authority == nil)
        #expect(url.host == nil)
        #expect(url.port == nil)
        #expect(text(url.root) == "urn:")
        #expect(text(url.path) == "a:/b@c")
        #expect(text(url.query) == "q")
        #expect(!url.isSpecial)
    }

    @Test func emptyParts() throws {
        let url = try CanonicalURL("foo://")
        #expect(text(url.authority) == "")
        #expect(text(url.host) == "")
        #expect(text(url.path) == "")
        #expect(text(url.root) == "foo://")
        let bare = try CanonicalURL("foo:")
        #expect(text(bare.root) == "foo:")
        #expect(text(bare.path) == "")
        #expect(try text(CanonicalURL("foo:?").query) == "")
    }

    @Test func partsMakeTheWhole() throws {
        var random = URLTestRandom()
        for _ in 0..<5_000 {
            guard let url = try? CanonicalURL(utf8: random.urlText()) else { continue }
            #expect(Array(url.root) + url.path + (url.query.map { [0x3F] + $0 } ?? []) == url.bytes, "\(url)")
            var authority = url.userinfo.map { $0 + [0x40] } ?? []
            authority += url.host ?? []
            authority += url.port.map { Array(":\($0)".utf8) } ?? []
            #expect(authority[...] == url.authority ?? [], "\(url)")
        }
    }
}
