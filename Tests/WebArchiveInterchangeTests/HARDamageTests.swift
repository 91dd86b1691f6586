// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

@Suite struct HARDamageTests {
    private let imported = HARFile()
    private static let content = #""size": 1, "text": "x""#

    /// The entries before and after damage are there, and the damage is reported with its place.
    @Test(arguments: [
        (#""httpVersion": "HTTP/1.1""#, #""httpVersion": "HTTP/1.1"#), (#""headers": []}"#, #""headers": []"#),
        (#""method": "GET""#, #""method": GET"#), (#""url": "http://a/2""#, #""uri": "http://a/2""#),
        (#""url": "http://a/2""#, #""url": "no URL""#), (#""status": 200"#, #""status": 1152921504606846976"#),
        (#""status": 200"#, #""status": 1e99"#), (#""status": 200"#, #""status": 99"#),
        (#""status": 200"#, #""status": 2000000000000000000000000000000"#),
        (#""text": "x""#, #""text": "\x""#), (#""text": "x""#, #""text": "\u12""#),
        (#""text": "x""#, "\"text\": \"\u{1}\""),
        (#""text": "x""#, #""text": "*", "encoding": "base64""#),
        (#""text": "x""#, #""text": "abcde", "encoding": "base64""#),
        (#""cache": {}"#, #""cache" {}"#), (#""cache": {}"#, #""cache": }"#), (#""cache": {}"#, #""cache": {]"#),
        (#""cache": {}"#, #""cache": "#), (#""cache": {}"#, #""cache": {} "x": 1"#), (#""cache": {}"#, "[[["),
        (#"{"startedDateTime""#, #"7, {"startedDateTime""#), (#"{"startedDateTime""#, #","startedDateTime""#),
        (#""method": "GET""#, #""method": "a b""#),
    ]) func damage(_ right: String, _ wrong: String) throws {
        let entries = (0..<5).map { HARFile.entry("http://a/\($0)", content: Self.content) }
        let damaged = entries[2].replacingOccurrences(of: right, with: wrong)
        #expect(damaged != entries[2])
        let before = HARFile.text(Array(entries[..<2]), pages: "[]").utf8.count - 3
        let text = HARFile.text(Array(entries[..<2]) + [damaged] + Array(entries[3...]))
        let summary = try imported(text)
        let urls = try ArchiveReader(path: imported.path).entries().map { try $0.key }
        let isKept = wrong.hasPrefix("7")
        #expect(urls == (0..<5).filter { $0 != 2 || isKept }.map { "http://a/\($0)" })
        let error = try #require(summary.damage.first)
        #expect(error.code == .damaged && error.path == imported.folder.path("0.har").string)
        let offset = Int(try #require(error.offset))
        #expect((before...before + damaged.utf8.count + 10).contains(offset))
        var strict = ArchiveImporter.Options()
        strict.isStrict = true
        #expect(archiveError { try imported(text, options: strict) }?.code == .damaged)
    }

    /// A file that was cut off anywhere gives the entries before the cut.
    @Test func cutOff() throws {
        let entries = (0..<2).map {
            #"{"request": {"url": "http://a/\#($0)"}, "response": {"status": 200, "content": {"text": "é\u00e9"}}}"#
        }
        let text = Array(HARFile.text(entries).utf8)
        let ends = (0...2).map { count in HARFile.text(Array(entries[..<count])).utf8.count - 3 }
        for length in 40..<text.count {
            let summary = try imported(bytes: Array(text[..<length]))
            let expected = ends.lastIndex { $0 <= length } ?? 0
            #expect(try ArchiveReader(path: imported.path).entries().count == expected, "after \(length) bytes")
            #expect(summary.damage.map(\.code) == [.truncated], "after \(length) bytes")
        }
    }

    /// Values that no reader should be made to hold.
    @Test func hostileValues() throws {
        let deep = String(repeating: "[", count: 1_000_000)
        let many = (0..<5_000).map { _ in #"{"name": "a", "value": "b"}"# }.joined(separator: ",")
        let summary = try imported(
            HARFile.text([
                HARFile.entry("http://a/deep", content: Self.content, other: #""x": \#(deep),"#),
                HARFile.entry("http://a/fields", content: Self.content, response: #""headers": [\#(many)],"#),
                HARFile.entry(
                    "http://a/long", content: Self.content,
                    other: #""x": "\#(String(repeating: "y", count: 2 << 20))","#),
                HARFile.entry(
                    "http://a/items", content: Self.content,
                    other: #""x": [\#(String(repeating: "0,", count: 1 << 19))0],"#),
                HARFile.entry("http://a/good", content: Self.content),
            ]))
        #expect(summary.damage.allSatisfy { $0.code == .damaged } && summary.damage.count >= 4)
        #expect(try ArchiveReader(path: imported.path).entries().map { try $0.key } == ["http://a/good"])
    }

    /// Bytes that are not UTF-8, halves of characters, members that come twice, members of other types.
    @Test func oddValues() throws {
        var text = Array(
            HARFile.text([
                HARFile.entry("http://a/1", headers: [("X", "\\ud800a\\udc00")], content: #""text": "a@\ud83d""#),
                HARFile.entry("http://a/2", content: #""text": "one", "text": "two", "size": "3""#),
                HARFile.entry("http://a/3", content: Self.content, response: #""cookies": 7, "httpVersion": [],"#),
            ]).utf8)
        let place = try #require(text.firstIndex(of: UInt8(ascii: "@")))
        text[place] = 0xFF
        let summary = try imported(bytes: text)
        #expect(summary.damage.isEmpty && summary.responses == 3)
        #expect(try imported.entry("http://a/1")?.body?.bytes() == [0x61, 0xFF, 0xEF, 0xBF, 0xBD])
        #expect(try imported.entry("http://a/1")?.response?.headers["X"] == "\u{FFFD}a\u{FFFD}")
        #expect(try imported.body("http://a/2") == "one")
    }

    /// A body that is longer than what is held in memory, with escapes and characters across its pieces.
    @Test func longBody() throws {
        let line = #"<p>\"\u00e9é😀\ud83d\ude00\\\/\n"#
        let count = 40_000
        let body = String(repeating: line, count: count)
        try imported(HARFile.text([HARFile.entry("http://a/", content: #""text": "\#(body)""#)]))
        let expected = String(repeating: "<p>\"éé😀😀\\/\n", count: count)
        #expect(try imported.entry("http://a/")?.body?.bytes() == Array(expected.utf8))
    }
}
