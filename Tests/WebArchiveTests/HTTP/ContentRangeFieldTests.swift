// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchive

/// RFC 9110 section 14.4.
@Suite struct ContentRangeFieldTests {
    @Test(
        arguments: [
            ("bytes 42-1233/1234", 42..<1234, 1234),
            ("bytes 0-0/*", 0..<1, nil),
            ("Bytes 0-499/1000", 0..<500, 1000),
            ("bytes */1234", nil, 1234),
        ] as [(String, Range<UInt64>?, UInt64?)])
    func valuesOfBytes(value: String, range: Range<UInt64>?, completeLength: UInt64?) throws {
        let field = try #require(ContentRangeField(value))
        #expect(field.range == range && field.completeLength == completeLength)
    }

    @Test(arguments: [
        "", "bytes", "bytes 0-1", "bytes 1-0/5", "bytes 0-5/5", "bytes */*", "bytes -5/10", "bytes 0-/10",
        "bytes 0-1/-1",
        "bytes 0-1/+5", "bytes 0-1/5/6", "items 0-1/5", "bytes 0-18446744073709551615/*",
        "bytes 0-1/99999999999999999999", "bytes=0-1/5",
    ])
    func otherValues(value: String) { #expect(ContentRangeField(value) == nil) }
}
