// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchiveFormat

/// Holds the limits in the code against the numbers of the specification.
@Suite struct FormatLimitsTests {
    /// Section 10: what stands in the table, by its words.
    private static let limits: [String: String] = Dictionary(
        SpecificationText.rows(SpecificationText.section("## 10.")).map { ($0[0], $0[1].filter { $0 != "," }) },
        uniquingKeysWith: { first, _ in first })

    @Test(arguments: [
        ("file", "2^48 − 1 bytes", FormatLimits.maximumFileLength - 1, UInt64(1) << 48 - 1),
        ("rows of a class, over all commits", "2^32 − 2", FormatLimits.maximumRowCount, 4_294_967_294),
        ("commits", "1024", UInt64(FormatLimits.maximumCommitCount), 1024),
        ("sections of a commit", "64", UInt64(FormatLimits.maximumSectionCount), 64),
        ("dictionary", "65536 bytes", UInt64(FormatLimits.maximumDictionaryLength), 65_536),
        ("string", "1048576 bytes", UInt64(FormatLimits.maximumStringLength), 1_048_576),
        (
            "header list, names and values together", "16777216 bytes", UInt64(FormatLimits.maximumFieldListLength),
            16_777_216
        ),
        (
            "rows of width 0, of one class in one commit", "65536", UInt64(FormatLimits.maximumZeroWidthRowCount),
            65_536
        ),
        ("key", "65535 bytes", UInt64(FormatLimits.maximumKeyLength), 65_535),
        ("signatures of a statement; endorsements", "16; 16", UInt64(SignedStatement.maximumCount), 16),
        ("header list", "4096 fields", UInt64(FormatLimits.maximumFieldCount), 4096),
    ])
    func asSpecified(what: String, words: String, limit: UInt64, expected: UInt64) {
        #expect(Self.limits[what] == words)
        #expect(limit == expected)
    }

    @Test func limitsOfSeveralNumbers() {
        #expect(Self.limits["class table"] == "65536 bytes 64 classes 64 keys a class")
        #expect(FormatLimits.maximumClassTableLength == 65_536)
        #expect(FormatLimits.maximumClassCount == 64 && FormatLimits.maximumKeyCount == 64)
        #expect(Self.limits["block, decoded"] == "2^*B* ≤ 1048576 bytes")
        #expect(1 << Int(FormatLimits.blockExponents.upperBound) == 1_048_576)
        #expect(FormatLimits.blockExponents.contains(FormatLimits.defaultBlockExponent))
        #expect(
            Self.limits["rows of width 0, of all classes of section 7 and all commits together"]
                == "65536 and one for each byte of the file")
        #expect(Self.limits["names and newest values of the metadata together"] == "16 MiB")
        #expect(FormatLimits.maximumMetadataLength == 16 << 20)
        #expect(Self.limits["blocks and dictionaries that are decoded for these"] == "128 MiB")
        #expect(Self.limits.count == 24, "13 limits, 10 that a reader may have, and the head of the tables")
    }

    /// Section 7, HeaderField: forms by number.
    @Test func headerForms() {
        let rows = SpecificationText.rows(SpecificationText.section("## 7.")).filter { $0.count == 2 }
        let forms = rows.compactMap { row in Int64(row[0]).map { ($0, row[1]) } }
        let words: [(FieldValueEncoding, String)] = [
            (.literal, "`value`; empty"), (.fill, "the next fill string"),
            (.contentLength, "the length of the response's body"),
            (.lastModified, "`modified`"), (.date, "`Entry.time`"), (.digestTag, "`\"` + the digest"),
        ]
        #expect(forms.map(\.0) == words.map(\.0.rawValue))
        for (form, (_, start)) in zip(forms, words) { #expect(form.1.hasPrefix(start)) }
        #expect(FieldValueEncoding(rawValue: 6) == nil && FieldValueEncoding(rawValue: -1) == nil)
    }
}
