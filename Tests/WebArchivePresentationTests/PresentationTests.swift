// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WebArchive
import WebArchivePresentation

@Suite("Texts for people and programs")
struct PresentationTests {
    @Test func sizes() {
        let sizes: [(UInt64, String)] = [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (102_348, "99.9 KiB"), (102_400, "100 KiB"),
            (1_048_575, "1.0 MiB"), (1 << 30, "1.0 GiB"), (1 << 47, "128 TiB"),
        ]
        for (bytes, text) in sizes { #expect(SizeFormat.bytes(bytes) == text) }
        #expect(SizeFormat.count(1_234_567) == "1,234,567" && SizeFormat.count(-1000) == "-1,000")
        #expect(SizeFormat.count(1, "file") == "1 file" && SizeFormat.count(0, "entry", "entries") == "0 entries")
        #expect(SizeFormat.duration(59.6) == "1:00" && SizeFormat.duration(3723) == "1:02:03")
        #expect(SizeFormat.share(1, of: 8) == "12.5 %" && SizeFormat.share(0, of: 0) == "-")
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:01Z", 1_000_000_000), ("2024-02-29T12:00:00Z", 1_709_208_000_000_000_000),
            ("2024-02-29T12:00:00.25+02:30", 1_709_199_000_250_000_000), ("1969-12-31t23:59:59z", -1_000_000_000),
            ("2023-02-29T12:00:00Z", nil), ("2024-13-01T00:00:00Z", nil), ("2024-01-01T24:00:00Z", nil),
            ("1970-01-01T00:00:00.1234567899Z", 123_456_789), ("1970-01-01T00:00:00.5-00:01", 60_500_000_000),
            ("1970-01-01T00:00:00.Z", nil), ("1970-01-01T00:00:00+24:00", nil), ("1970-01-01T00:00:00+00:60", nil),
            ("1970-01-01T00:00:00Z ", nil), ("197O-01-01T00:00:00Z", nil), ("+970-01-01T00:00:00Z", nil),
            ("1970-01-01 00:00:00Z", nil), ("1970-01-01T00:00:61Z", nil), ("\u{0661}970-01-01T00:00:00Z", nil),
            ("2024-01-01T00:00:00", nil), ("2024-01-01", nil), ("9999-12-31T23:59:59Z", nil), ("", nil),
        ] as [(String, Int64?)])
    func times(_ text: String, _ nanoseconds: Int64?) { #expect(Timestamp.nanoseconds(text) == nanoseconds) }

    @Test(arguments: ["1970-01-01T00:00:01Z", "2024-02-29T12:00:00Z", "1900-03-01T00:00:00Z", "2262-04-11T23:47:16Z"])
    func timesAreWrittenAsTheyAreRead(_ text: String) throws {
        let time = try #require(Timestamp.nanoseconds(text).flatMap(ArchiveTime.init))
        #expect(Timestamp.text(time) == text)
    }

    @Test func nothingThatATerminalWouldObey() {
        #expect(PrintableText.escaped("Grüße 你好 a\u{301}") == "Grüße 你好 a\u{301}")
        #expect(PrintableText.escaped("a\u{1B}[2J\r\n\u{202E}b\u{9B}") == "a\\x1b[2J\\x0d\\x0a\\u{202e}b\\x9b")
    }

    @Test func json() {
        let value: JSONValue = [
            "text": .string("\"\\\n\r\t\u{8}\u{C}\u{1}\u{7F}é😀"), "none": .null,
            "list": .array([.integer(-1), .bool(true)]),
        ]
        let text = "\\\"\\\\\\n\\r\\t\\b\\f\\u0001\\u007f\\u00e9\\ud83d\\ude00"
        #expect(value.line == "{\"text\": \"\(text)\", \"none\": null, \"list\": [-1, true]}")
    }

    /// A text of which each character becomes six is never whole in memory.
    @Test func longJSONComesInPieces() throws {
        let text = String(repeating: "\u{1}", count: 1 << 20)
        var (count, longest) = (0, 0)
        try JSONValue.array([.string(text), "end"]).forEachPiece { (piece) throws(ArchiveError) in
            count += piece.count
            longest = max(longest, piece.count)
        }
        #expect(count == 6 * text.utf8.count + #"["", "end"]"#.utf8.count)
        #expect(longest < 1 << 17)
    }

    @Test func jsonIsReadAgain() throws {
        let text = #"{"a": [1, 2.5, -1e300, "x", null, true], "b": {"c": 9007199254740993}}"#
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        #expect(value["b"]?["c"] == .integer(9_007_199_254_740_993))
        #expect(value["a"]?.items.map(\.number) == [1, 2.5, -1e300, nil, nil, nil])
        #expect(
            value == ["b": ["c": 9_007_199_254_740_993], "a": [1, .double(2.5), .double(-1e300), "x", .null, true]])
        #expect(value != ["a": value["a"] ?? .null, "b": [:]])
        #expect(JSONValue.array([.double(0.1), .double(.infinity)]).line == "[0.1, null]")
    }
}
