// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing
import WebArchive
import WebArchiveReplay

/// Fields of an archive as those of swift-http-types, and back.
@Suite struct HeaderFieldsConversionTests {
    /// RFC 9110 section 5.3: fields of one name stay in their order, and `Set-Cookie` cannot be joined.
    @Test func fieldsOfOneNameStayApart() throws {
        let stored: HeaderFields = [
            "Set-Cookie": "a=1; Expires=Wed, 25 Nov 2026 10:00:00 GMT", "vary": "Accept", "SET-COOKIE": "b=2, c",
            "Vary": "Cookie", "cookie": "d=3", "Cookie": "e=4",
        ]
        let fields = HTTPFields(stored)
        #expect(fields.count == 6)
        #expect(fields[values: .setCookie] == ["a=1; Expires=Wed, 25 Nov 2026 10:00:00 GMT", "b=2, c"])
        #expect(fields[values: .cookie] == ["d=3", "e=4"])
        #expect(fields[.vary] == "Accept, Cookie")
        #expect(HeaderFields(fields) == stored)
    }

    /// RFC 9110 section 5.5: the value may have any byte from 0x80 on.
    @Test func bytesStay() throws {
        let value: [UInt8] = [0x66, 0xFC, 0x09, 0x80, 0xFF]
        let stored = HeaderFields([HeaderField(nameBytes: Array("X-Name".utf8), valueBytes: value)])
        let field = try #require(HTTPFields(stored).first)
        #expect(field.withUnsafeBytesOfValue { Array($0) } == value)
        #expect(HeaderFields(HTTPFields(stored)) == stored)
    }

    /// RFC 9110 sections 5.1 and 5.5: an archive holds what a server sent, right or wrong.
    @Test func whatIsNoFieldIsLeftOutOrMadeOne() {
        var stored: HeaderFields = [
            "": "a", "Two Words": "b", ":status": "200", "Colon:": "c", "Ünicode": "d",
            "Safe": "e\r\nSet-Cookie: f\0", "Around": " \tg ", "Empty": "",
        ]
        stored.append(HeaderField(nameBytes: [0x58, 0xFF], valueBytes: []))
        let fields = HTTPFields(stored)
        #expect(fields.map(\.name.rawName) == ["Safe", "Around", "Empty"])
        #expect(fields.map(\.value) == ["e  Set-Cookie: f", "g", ""])
        #expect(HTTPField(HeaderField(name: "No Token", value: "a")) == nil)
    }
}
