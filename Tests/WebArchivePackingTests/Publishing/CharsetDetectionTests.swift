// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchivePacking

/// Cases are from the algorithms of the WHATWG HTML standard, section 13.2.3.2, and of CSS Syntax.
@Suite struct CharsetDetectionTests {
    private func declared(_ text: String, _ type: String = "text/html") -> String? {
        CharsetDetection.declaredCharset(in: Array(text.utf8).span.bytes, mediaType: type)
    }

    private func charset(_ bytes: [UInt8], _ type: String = "text/html", isComplete: Bool = true) -> String? {
        CharsetDetection.charset(of: bytes.span.bytes, mediaType: type, isComplete: isComplete)
    }

    @Test(arguments: [
        ("<meta charset=utf-8>", "utf-8"), ("<!DOCTYPE html><META CHARSET='UTF8'/>", "utf8"),
        ("<meta charset=\" iso-8859-1 \">", "iso-8859-1"), ("<meta/charset=latin1>", "latin1"),
        ("<meta charset = \"windows-1251\" >", "windows-1251"), ("<meta\u{0C}charset=koi8-r >", "koi8-r"),
        ("<meta http-equiv=Content-Type content=\"text/html; charset=Shift_JIS\">", "shift_jis"),
        ("<meta content='text/html; charset = \"euc-jp\"' http-equiv='content-type'>", "euc-jp"),
        ("<meta http-equiv=content-type content='charset x charset=big5'>", "big5"),
        ("<meta http-equiv=content-type content=\"text/html;charset=gbk;x\">", "gbk"),
        ("<meta charset=utf-16>", "utf-8"), ("<meta charset=UTF-16BE>", "utf-8"),
        ("<meta charset=x-user-defined>", "windows-1252"), ("<meta charset=nonsense><meta charset=gb18030>", "gb18030"),
        ("<!-- <meta charset=big5> --><meta charset=utf-8>", "utf-8"), ("<!--><meta charset=big5>", "big5"),
        ("<!---><meta charset=big5>", "big5"), ("<p title='<meta charset=big5>'><meta charset=utf-8>", "utf-8"),
        ("</p x=\"<meta charset=big5>\"><meta charset=utf-8>", "utf-8"),
        ("<?pi <meta charset=big5><meta charset=utf-8>", "utf-8"),
        ("<! <meta charset=big5><meta charset=utf-8>", "utf-8"),
        ("<metax charset=big5><meta charset=utf-8>", "utf-8"), ("a < b <meta charset=utf-8>", "utf-8"),
        ("<meta charset=utf-8 charset=big5>", "utf-8"), ("<meta =charset charset=utf-8>", "utf-8"),
        ("<meta charset=big5 content='charset=gbk' http-equiv=content-type>", "big5"),
        ("<meta content='charset=gbk' charset=big5>", "big5"),
        ("<?xml version='1.0' encoding='iso-8859-2'?><p>", "iso-8859-2"),
        ("<?xml version='1.0' encoding='iso-8859-2'?><meta charset=utf-8>", "utf-8"),
    ])
    func htmlDeclares(text: String, label: String) {
        #expect(declared(text) == label)
    }

    @Test(arguments: [
        "", "<", "<m", "<meta", "<meta ", "<meta charset", "<meta charset=", "<meta charset=utf-8",
        "<meta charset='utf-8",
        "<meta charset='utf-8'", "<!--<meta charset=utf-8>", "<!--", "<!-", "</", "<a", "<a b='", "<a b=c", "<?",
        "<meta >",
        "<meta content='text/html; charset=utf-8'>", "<meta http-equiv=refresh content='charset=utf-8'>",
        "<meta http-equiv=content-type content='text/html'>",
        "<meta http-equiv=content-type content='charset=\"utf-8'>",
        "<meta http-equiv=content-type content='charset='>", "<meta charset=nonsense>",
        "<meta charset='utf-8\r\nX: y'>",
        "<meta charset=unknown http-equiv=content-type content='charset=utf-8'>", "<meta name=charset content=utf-8>",
    ])
    func htmlDeclaresNothing(text: String) {
        #expect(declared(text) == nil)
    }

    @Test func onlyTheFirst1024BytesAreLookedAt() {
        let meta = "<meta charset=big5>"
        #expect(declared(String(repeating: " ", count: 1024 - meta.utf8.count) + meta) == "big5")
        #expect(declared(String(repeating: " ", count: 1025 - meta.utf8.count) + meta) == nil)
    }

    @Test func aByteOrderMarkComesFirst() {
        #expect(charset([0xEF, 0xBB, 0xBF] + Array("<meta charset=big5>".utf8)) == "utf-8")
        #expect(charset([0xFE, 0xFF, 0, 0x61], "text/plain") == "utf-16be")
        #expect(charset([0xFF, 0xFE, 0x61, 0], "text/css") == "utf-16le")
        #expect(charset([0x3C, 0, 0x3F, 0, 0x78, 0], "application/xml") == "utf-16le")
        #expect(charset([0, 0x3C, 0, 0x3F, 0, 0x78]) == "utf-16be")
        #expect(charset([0xEF, 0xBB, 0xBF], "image/png") == nil)
    }

    @Test(
        arguments: [
            ("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a/>", "iso-8859-1"),
            ("<?xml encoding = 'utf-8' ?>", "utf-8"),
            ("<?xml version='1.0' encoding='UTF-16'?>", "utf-8"), ("<?xml version='1.0'?>", nil),
            ("<?xml encoding='utf-8'", nil),
            (" <?xml version='1.0' encoding='utf-8'?>", nil), ("<?xml encoding='utf 8'?>", nil),
            ("<?xml encoding=utf-8?>", nil),
            ("<?xml encoding='utf-8?>", nil), ("<?xml encoding", nil), ("<?xml >encoding", nil),
            ("<meta charset=utf-8>", nil),
        ] as [(String, String?)])
    func xmlDeclares(text: String, label: String?) {
        for type in ["application/xml", "text/xml", "application/xhtml+xml", "image/svg+xml"] {
            #expect(declared(text, type) == label)
        }
    }

    @Test(
        arguments: [
            ("@charset \"utf-8\";", "utf-8"), ("@charset \"Windows-1252\";a{}", "windows-1252"),
            ("@charset \"utf-16\";", "utf-8"),
            ("@charset 'utf-8';", nil), (" @charset \"utf-8\";", nil), ("@CHARSET \"utf-8\";", nil),
            ("@charset  \"utf-8\";", nil),
            ("@charset \"utf-8\" ;", nil), ("@charset \"x\";", nil), ("@charset \"utf-8", nil),
            ("@charset \"utf-8\"", nil),
        ] as [(String, String?)])
    func cssDeclares(text: String, label: String?) {
        #expect(declared(text, "text/css") == label)
    }

    @Test func validUTF8IsUTF8AndNothingElseIs() {
        #expect(charset(Array("plain".utf8), "text/plain") == "utf-8")
        #expect(charset([], "text/plain") == "utf-8")
        #expect(charset([0x63, 0xE9], "text/plain") == nil)
        #expect(charset(Array("é".utf8).dropLast(), "text/plain", isComplete: true) == nil)
        #expect(charset(Array("é".utf8).dropLast(), "text/plain", isComplete: false) == "utf-8")
        #expect(charset([0xE2, 0x28], "text/plain", isComplete: false) == nil)
        #expect(charset(Array("{}".utf8), "application/json") == nil)
    }

    @Test func utf8ValidityAgreesWithTheStandardLibrary() {
        var generator = SeededGenerator.printed()
        let bytes: [UInt8] =
            [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED]
            + [0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF]
        var valid = 0
        for _ in 0..<40_000 {
            let text = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
                bytes.randomElement(using: &generator) ?? 0
            }
            let expected = Array(String(decoding: text, as: UTF8.self).utf8) == text
            if expected { valid += 1 }
            #expect(
                CharsetDetection.isUTF8(text.span.bytes, isComplete: true) == expected,
                "seed \(generator.seed): \(text)")
        }
        #expect(valid > 200)
    }
}
