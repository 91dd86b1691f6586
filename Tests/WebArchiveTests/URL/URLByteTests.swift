// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchive

@Suite struct URLByteTests {
    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private static let unreserved = letters + "0123456789-._~"

    @Test func sets() {
        let controls = String(decoding: 0..<0x20 as Range<UInt8>, as: UTF8.self)
        let expected: [(set: ASCIISet, members: String)] = [
            (.unreserved, Self.unreserved),
            (.pathCharacter, Self.unreserved + "!$&'()*+,;=:@"),
            (.urlText, Self.unreserved + "!$&'()*+,;=:@/?"),
            (.forbiddenHost, " #/:<>?@[\\]^|\u{7F}" + controls),
            (.schemeTail, Self.letters + "0123456789+-."),
            (.literalHost, Self.unreserved + "!$&'()*+,;=:"),
            (.simpleHost, "abcdefghijklmnopqrstuvwxyz0123456789-._"),
        ]
        for (set, members) in expected {
            #expect((0...255 as ClosedRange<UInt8>).filter(set.contains) == Array(members.utf8).sorted())
        }
    }

    /// The examples of RFC 3986 section 5.2.4 and cases at its edges.
    @Test(arguments: [
        ("/a/b/c/./../../g", "/a/g"), ("mid/content=5/../6", "mid/6"), ("", ""), ("/", "/"), ("/.", "/"), ("/..", "/"),
        (".", ""), ("..", ""), ("../", ""), ("./../a", "a"), ("a/..", "/"), ("a/.", "a/"), ("a/../b", "/b"),
        ("..//a", "/a"),
        ("/a//../b", "/a/b"), ("//..", "/"), ("//../..", "/"), ("/...", "/..."), ("/.a/..b/", "/.a/..b/"),
        ("/a/b/..", "/a/"),
        ("/a/b/../", "/a/"), ("/a/./", "/a/"), ("./.", ""), ("/..a/../.", "/"),
    ])
    func dotSegments(path: String, expected: String) {
        // A prefix with dots in it shows that the path alone is looked at.
        var bytes = Array("x/../\(path)".utf8)
        DotSegments.remove(from: &bytes, at: 5)
        #expect(String(decoding: bytes, as: UTF8.self) == "x/../" + expected)
    }

    @Test func everyTriplet() {
        for octet in 0...255 as ClosedRange<UInt8> {
            var encoded: [UInt8] = []
            PercentEncoding.appendEncoded([octet], keeping: ASCIISet(low: 0, high: 0), to: &encoded)
            #expect(encoded.count == 3)
            var decoded: [UInt8] = []
            PercentEncoding.appendDecoded(encoded[...], to: &decoded)
            #expect(decoded == [octet])
            let lower = encoded.map { $0 >= 0x41 ? $0 | 0x20 : $0 }
            for spelling in [encoded, lower] {
                var normal: [UInt8] = []
                PercentEncoding.appendNormalized(spelling[...], to: &normal)
                #expect(normal == (ASCIISet.unreserved.contains(octet) ? [octet] : encoded))
                #expect(PercentEncoding.isNormalized(spelling[...]) == (normal == spelling))
            }
        }
    }

    @Test(arguments: ["%", "%4", "%g1", "%1g", "a%", "%%", "%-1", "% 1", "%\u{30}"])
    func brokenTriplets(text: String) {
        var decoded: [UInt8] = []
        PercentEncoding.appendDecoded(Array(text.utf8)[...], to: &decoded)
        #expect(decoded == Array(text.utf8))
        #expect(!PercentEncoding.isNormalized(Array(text.utf8)[...]))
    }
}
