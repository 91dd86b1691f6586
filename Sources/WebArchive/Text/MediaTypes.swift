// SPDX-License-Identifier: Apache-2.0

/// The media types of files, by file name extension.
///
/// The types are those of Debian's media-types package, which follows IANA's registry, save for a short list of
/// overrides. No content is looked at. The table is made at the first question.
public enum MediaTypes {
    /// The type of unknown content (RFC 9110 section 8.3, RFC 2046 section 4.5.1).
    public static let unknown = "application/octet-stream"

    /// Returns the media type of a file.
    ///
    /// The part of the name after its last dot counts, in any case. A name whose only dot is its first character
    /// (`.htaccess`) has no extension. `.svgz` is `image/svg+xml` and must be sent with `Content-Encoding: gzip`, as
    /// SVG 2 section 4 (conformance, compressed files) has it.
    ///
    /// - Parameter path: the file's path as bytes; the part after the last `/` is the name.
    /// - Returns: the type in lower case, ``unknown`` if the extension is missing or unknown.
    public static func type(ofPath path: [UInt8]) -> String {
        let name = path[((path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...]
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return unknown }
        let ending = name[(dot + 1)...]
        guard ending.count <= 32, ending.allSatisfy({ $0 < 0x80 }) else { return unknown }
        return type(ofExtension: String(decoding: ending, as: UTF8.self)) ?? unknown
    }

    /// Returns the media type of a file; see ``type(ofPath:)-([UInt8])``.
    public static func type(ofPath path: String) -> String { type(ofPath: Array(path.utf8)) }

    /// Returns the media type that an extension represents; nil if it is unknown.
    ///
    /// - Parameter fileExtension: the extension without dot, in any case.
    public static func type(ofExtension fileExtension: String) -> String? {
        table[fileExtension.asciiLowercased]
    }

    /// Returns whether content of a type is text with a `charset` parameter.
    ///
    /// That is so for `text/*` (RFC 6657), for XML types (RFC 7303 section 3 and 4.2) and for old names of JavaScript
    /// (RFC 9239 section 6). JSON has no such parameter (RFC 8259 section 11).
    ///
    /// - Parameter mediaType: the type without parameters, in any case.
    public static func isText(_ mediaType: String) -> Bool {
        let type = mediaType.asciiLowercased
        if type.hasPrefix("text/") || isXML(type) { return true }
        switch type {
        case "application/javascript", "application/x-javascript", "application/ecmascript",
            "application/x-ecmascript", "application/xml-dtd", "application/xml-external-parsed-entity":
            return true
        default:
            return false
        }
    }

    /// Returns whether content of a type is text, with or without a `charset`, which compression shortens.
    ///
    /// - Parameter mediaType: the type without parameters, in any case.
    package static func isCompressible(_ mediaType: String) -> Bool {
        let type = mediaType.asciiLowercased
        return isText(type) || type.hasSuffix("json") || type.hasSuffix("javascript")
    }

    /// Returns whether a type is an XML type (WHATWG MIME Sniffing, "XML MIME type"). In lower case.
    package static func isXML(_ type: String) -> Bool {
        type == "text/xml" || type == "application/xml" || type.hasSuffix("+xml")
    }

    private static let table: [String: String] = {
        var table: [String: String] = [:]
        let separators: Set<UInt8> = [UInt8(ascii: ";"), UInt8(ascii: "\n")]
        for entries in [MediaTypeTable.entries, overrides] {
            for entry in entries.utf8.split(whereSeparator: separators.contains) {
                let words = entry.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
                for ending in words.dropFirst() { table[ending] = words[0] }
            }
        }
        return table
    }()

    /// The established types of the web that Debian's table lacks or differs in.
    ///
    /// - `text/javascript`: RFC 9239 section 6 makes all other names obsolete.
    /// - `application/json` for source maps: ECMA-426.
    /// - `image/vnd.microsoft.icon`: IANA's name for `image/x-icon` in browsers; the
    ///   cursor format differs by one field.
    /// - `video/mp2t`: on a web site `.ts` is a segment of a stream (RFC 8216 section 3.2), not a
    ///   translation of Qt's.
    /// - `application/rss+xml`, `application/gpx+xml`, `application/json5`: not registered, but expected by
    ///   readers of these formats.
    /// - `audio/wav`, `audio/webm`, `audio/midi`: the names for which browsers' `canPlayType` succeeds.
    /// - `application/gzip` for `.tgz`, `text/plain` for sources and notes: the type of the bytes.
    /// - `application/vnd.apache.parquet`, `application/vnd.apache.arrow.file`, `application/vnd.pmtiles`, `application/warc`,
    ///   `audio/matroska` (RFC 9559): IANA's registry.
    /// - `application/x-ipynb+json`, `application/x-ndjson`: not registered, but used by Jupyter and readers of lines of JSON.
    private static let overrides = """
        text/javascript js mjs cjs;application/json json map;application/wasm wasm
        application/manifest+json webmanifest;application/ld+json jsonld;application/json5 json5
        text/html html htm;application/xhtml+xml xhtml xht;text/css css;application/xml xml
        application/json har topojson;application/x-ipynb+json ipynb;application/x-ndjson ndjson jsonl
        application/vnd.apache.parquet parquet;application/vnd.apache.arrow.file arrow feather
        application/vnd.pmtiles pmtiles;application/warc warc;application/vnd.webarc webarc
        audio/matroska mka;video/matroska-3d mk3d
        text/markdown md markdown;text/plain txt log text ini conf cfg rs swift go kt
        text/plain jsx tsx vue svelte scss sass less graphql adoc po
        application/yaml yaml yml;application/toml toml;text/vtt vtt;text/cache-manifest appcache
        image/svg+xml svg svgz;image/vnd.microsoft.icon ico cur;image/avif avif;image/webp webp
        font/woff2 woff2;font/woff woff
        application/rss+xml rss;application/atom+xml atom;application/gpx+xml gpx
        video/mp2t ts;audio/wav wav;audio/webm weba;audio/midi mid midi
        application/gzip gz tgz;application/x-bzip2 bz2
        """
}
