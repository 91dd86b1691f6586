// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

@Suite struct MediaTypesTests {
    @Test(arguments: [
        ("index.html", "text/html"), ("a/b/INDEX.HTM", "text/html"), ("app.js", "text/javascript"),
        ("app.mjs", "text/javascript"), ("app.js.map", "application/json"), ("m.wasm", "application/wasm"),
        ("f.woff2", "font/woff2"), ("site.webmanifest", "application/manifest+json"), ("i.svg", "image/svg+xml"),
        ("favicon.ico", "image/vnd.microsoft.icon"), ("README.md", "text/markdown"), ("a.avif", "image/avif"),
        ("a.webp", "image/webp"), ("a.json", "application/json"), ("a.json5", "application/json5"),
        ("a.jsonld", "application/ld+json"), ("feed.rss", "application/rss+xml"), ("feed.atom", "application/atom+xml"),
        ("a.xhtml", "application/xhtml+xml"), ("a.tar.gz", "application/gzip"), ("v.ts", "video/mp2t"),
        ("s.css", "text/css"), ("p.png", "image/png"), ("a.pdf", "application/pdf"), ("a.mp4", "video/mp4"),
        ("a.b/c", "application/octet-stream"), ("LICENSE", "application/octet-stream"),
        ("", "application/octet-stream"),
        (".htaccess", "application/octet-stream"), ("a.", "application/octet-stream"),
        ("a/.css", "application/octet-stream"),
        ("n.ipynb", "application/x-ipynb+json"), ("rows.ndjson", "application/x-ndjson"),
        ("rows.parquet", "application/vnd.apache.parquet"), ("a.arrow", "application/vnd.apache.arrow.file"),
        ("song.mka", "audio/matroska"), ("song.opus", "audio/ogg"), ("song.weba", "audio/webm"),
        ("map.geojson", "application/geo+json"), ("map.pmtiles", "application/vnd.pmtiles"),
        ("m.glb", "model/gltf-binary"), ("m.gltf", "model/gltf+json"), ("p.heic", "image/heic"), ("p.jxl", "image/jxl"),
        ("s.ttml", "application/ttml+xml"), ("s.vtt", "text/vtt"), ("v.m3u8", "application/vnd.apple.mpegurl"),
        ("v.mpd", "application/dash+xml"), ("b.epub", "application/epub+zip"), ("c.toml", "application/toml"),
        ("c.yaml", "application/yaml"), ("i.svgz", "image/svg+xml"), ("I.SVGZ", "image/svg+xml"),
        ("crawl.warc", "application/warc"), ("site.webarc", "application/vnd.webarc"),
        ("a.unknown-ending", "application/octet-stream"), ("..css", "text/css"),
    ])
    func theExtensionDeterminesTheType(path: String, type: String) {
        #expect(MediaTypes.type(ofPath: path) == type)
    }

    @Test func namesNeedNotBeUTF8() {
        #expect(MediaTypes.type(ofPath: [0xFF, 0x2E, 0x63, 0x73, 0x73]) == "text/css")
        #expect(MediaTypes.type(ofPath: [0x61, 0x2E, 0xFF]) == MediaTypes.unknown)
    }

    @Test func theTableHasAnExtensionOnceAndTypesOnly() throws {
        var seen: Set<Substring> = []
        for entry in MediaTypeTable.entries.split(whereSeparator: { $0 == ";" || $0 == "\n" }) {
            let words = entry.split(separator: " ")
            #expect(words.count > 1)
            // RFC 9110 section 8.3.1, in lower case.
            let parts = words[0].utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            #expect(parts.count == 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(FieldText.isTokenByte) })
            #expect(words[0] == words[0].lowercased())
            for word in words.dropFirst() { #expect(seen.insert(word).inserted, "\(word)") }
        }
        #expect(seen.count > 1000)
    }

    @Test(arguments: ["text/html", "TEXT/plain", "image/svg+xml", "application/xml", "application/javascript"])
    func textTakesACharset(type: String) { #expect(MediaTypes.isText(type)) }

    @Test(arguments: [
        "application/json", "image/png", "application/octet-stream", "font/woff2", "", "application/ld+json",
    ])
    func otherTypesTakeNone(type: String) { #expect(!MediaTypes.isText(type)) }

    /// The differences from the built-in tables of Python 3.9 to 3.14, with reasons.
    private let exceptions: [String: String] = [
        "js": "RFC 9239; Python before 3.12 has the obsolete name", "mjs": "RFC 9239, as above",
        "xml": "RFC 7303 makes application/xml and text/xml one", "rdf": "RFC 3870", "wsdl": "W3C WSDL 2.0",
        "xsl": "W3C XSLT 2.0", "vcf": "RFC 6350", "sgm": "RFC 1874", "sgml": "RFC 1874", "opus": "RFC 7845 section 9",
        "p12": "RFC 7292 without x-", "pfx": "RFC 7292 without x-", "roff": "RFC 4263", "t": "RFC 4263",
        "tr": "RFC 4263",
        "swf": "IANA", "mif": "IANA", "m3u": "Debian has the older name", "ram": "Debian names the medium",
        "wav": "the name browsers know without x-", "loas": "IANA, ISO/IEC 23003-3", "obj": "a 3D object on the web",
        "a": "Debian has IANA's text/vnd.a", "dot": "graphviz rather than a Word template", "pot": "gettext",
        "c": "Debian names the language", "h": "Debian names the language", "pl": "Debian names the language",
        "tex": "Debian names the language", "bat": "Debian names DOS", "dll": "Debian names DOS",
        "exe": "Debian names DOS",
        "o": "Debian names the format", "cdf": "unregistered in both", "md": "RFC 7763", "srt": "Debian has plain text",
        "rtf": "Debian has application/rtf", "rst": "Debian has text/x-rst", "gz": "RFC 6713",
        "ts": "a stream's segment",
    ]

    @Test func pythonsMimetypesAgreesWhereBothKnow() throws {
        let script =
            "import mimetypes; m = mimetypes.MimeTypes(); print('\\n'.join(k[1:] + ' ' + v for k, v in sorted(m.types_map[1].items())))"
        let output = try ExternalTool.run(["python3", "-c", script]).text
        let pairs = output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(pairs.count > 80)
        var agreed = 0
        for pair in pairs where pair.count == 2 {
            guard let ours = MediaTypes.type(ofExtension: String(pair[0])) else { continue }
            if ours == pair[1] {
                agreed += 1
            } else {
                #expect(exceptions[String(pair[0])] != nil, "\(pair[0]): \(ours), Python has \(pair[1])")
            }
        }
        #expect(agreed > 70)
    }
}
