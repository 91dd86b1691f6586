// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive
import WebarcCommandLine

@testable import webarc

@Suite("Texts for people and programs")
struct FormatTests {
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

    @Test func times() throws {
        let times: [(String, Int64?)] = [
            ("1970-01-01T00:00:01Z", 1_000_000_000), ("2024-02-29T12:00:00Z", 1_709_208_000_000_000_000),
            ("2024-02-29T12:00:00.25+02:30", 1_709_199_000_250_000_000), ("1969-12-31t23:59:59z", -1_000_000_000),
            ("2023-02-29T12:00:00Z", nil), ("2024-13-01T00:00:00Z", nil), ("2024-01-01T24:00:00Z", nil),
            ("2024-01-01T00:00:00", nil), ("2024-01-01", nil), ("9999-12-31T23:59:59Z", nil), ("", nil),
        ]
        for (text, nanoseconds) in times { #expect(Timestamp.nanoseconds(text) == nanoseconds, "\(text)") }
        for text in ["1970-01-01T00:00:01Z", "2024-02-29T12:00:00Z", "1900-03-01T00:00:00Z", "2262-04-11T23:47:16Z"] {
            let time = try #require(TimeArgument(argument: text)?.time)
            #expect(Timestamp.text(time) == text)
        }
        #expect(TimeArgument(argument: "@0")?.time.nanoseconds == 1)
        #expect(TimeArgument(argument: "@-5")?.time.nanoseconds == -5_000_000_000)
        for text in ["@", "@1.5", "@+1", "@99999999999999", "5"] {
            #expect(TimeArgument(argument: text) == nil, "\(text)")
        }
    }

    @Test func nothingThatATerminalWouldObey() {
        #expect(PrintableText.escaped("Grüße 你好 a\u{301}") == "Grüße 你好 a\u{301}")
        #expect(PrintableText.escaped("a\u{1B}[2J\r\n\u{202E}b\u{9B}") == "a\\x1b[2J\\x0d\\x0a\\u{202e}b\\x9b")
    }

    @Test func json() {
        let value: JSONValue = [
            "text": .string("\"\\\n\u{1}\u{7F}é😀"), "none": .null, "list": .array([.integer(-1), .bool(true)]),
        ]
        let text = "\\\"\\\\\\n\\u0001\\u007f\\u00e9\\ud83d\\ude00"
        #expect(value.line == "{\"text\": \"\(text)\", \"none\": null, \"list\": [-1, true]}")
    }

    @Test func progress() {
        var progress = WorkProgress()
        (progress.bytes, progress.totalBytes, progress.items, progress.totalItems) = (50 << 20, 100 << 20, 1200, 2400)
        let text = ProgressText(verb: "Packing", progress: progress, seconds: 10)
        let line = "Packing  50 %  50.0 MiB of 100 MiB  0:10 left  5.0 MiB/s  1,200 of 2,400 files"
        #expect(text.fitting(200) == line)
        for width in 0..<90 { #expect(text.fitting(width).count <= width && line.hasPrefix(text.fitting(width))) }
        #expect(ProgressText(verb: "V", progress: WorkProgress(), seconds: 2).fitting(80) == "V  0 B")
    }
}
