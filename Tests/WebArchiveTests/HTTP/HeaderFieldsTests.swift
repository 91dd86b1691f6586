// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchive

@Suite struct HeaderFieldsTests {
    @Test func namesWithoutRegardToCase() {
        let field = HeaderField(name: "Content-Type", value: "x")
        #expect(field.isNamed("content-type") && field.isNamed("CONTENT-TYPE") && field.isNamed("Content-Type"))
        #expect(!field.isNamed("content-typ") && !field.isNamed("content-typee") && !field.isNamed("content_type"))
        // Only ASCII letters have case here: K is not the Kelvin sign, and [ is not {.
        #expect(!HeaderField(name: "\u{212A}", value: "").isNamed("k"))
        #expect(!HeaderField(name: "a[", value: "").isNamed("a{"))
        #expect(!HeaderField(name: "a@", value: "").isNamed("a`"))
        #expect(HeaderField(name: "AZ", value: "").isNamed("az"))
    }

    @Test func valuesOfAName() {
        let fields: HeaderFields = ["A": "1", "b": "2", "a": "3"]
        #expect(fields["a"] == "1, 3")
        #expect(fields["B"] == "2")
        #expect(fields["c"] == nil)
        #expect(fields.map(\.name) == ["A", "b", "a"])
        #expect(fields.count == 3 && fields[2].value == "3")
    }

    @Test func changes() {
        var fields: HeaderFields = ["A": "1", "b": "2", "a": "3"]
        fields.removeAll(named: "A")
        #expect(fields == ["b": "2"])
        fields.append(name: "B", value: "4")
        fields.append(HeaderField(nameBytes: [0x63], valueBytes: [0xFF]))
        fields.set(name: "b", value: "5")
        #expect(fields.map(\.name) == ["c", "b"] && fields["b"] == "5")
        #expect(fields[0].valueBytes == [0xFF] && fields[0].value == "\u{FFFD}")
    }

    @Test func equalityIsThatOfBytes() {
        #expect(HeaderFields([]) != ["a": "1"])
        #expect(["a": "1"] as HeaderFields != ["A": "1"])
        #expect(["a": "1", "b": "2"] as HeaderFields != ["b": "2", "a": "1"])
        // Equal to Swift as texts, and yet different bytes.
        #expect(HeaderField(name: "a", value: "\u{E9}") != HeaderField(name: "a", value: "e\u{301}"))
    }

    /// A date has a comma of its own, so that cookies cannot be joined (RFC 9110 section 5.3).
    @Test func cookiesAreNeverJoined() {
        let fields: HeaderFields = [
            "A": "1", "Set-Cookie": "a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT", "a": "2", "set-cookie": "b=2",
        ]
        #expect(fields["set-cookie"] == "a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(fields.values(named: "SET-COOKIE") == ["a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT", "b=2"])
        #expect(fields["a"] == "1, 2" && fields.values(named: "a") == ["1", "2"] && fields.values(named: "b").isEmpty)
    }
}
