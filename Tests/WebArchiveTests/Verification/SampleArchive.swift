// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport

@testable import WebArchive

/// Small archives with something of everything.
enum SampleArchive {
    /// The bytes of an archive that `fill` writes; `more` is appended as further commits.
    static func bytes(
        blockExponent: UInt8 = 12, _ fill: (ArchiveWriter) throws -> Void,
        more: [(ArchiveWriter) throws -> Void] = []
    ) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = folder.path("a.webarc")
        let writer = try ArchiveWriter(creating: path, options: .init(blockExponent: blockExponent))
        try fill(writer)
        try writer.commit()
        for fill in more {
            let writer = try ArchiveWriter(appendingTo: path)
            try fill(writer)
            try writer.commit()
        }
        return try folder.read("a.webarc")
    }

    static func surgeon(_ fill: (ArchiveWriter) throws -> Void) throws -> ArchiveSurgeon {
        ArchiveSurgeon(try bytes(fill))
    }

    /// Forty pages, a long body, redirects, a form, header lists with open places, aliases and metadata.
    static func mixed(_ writer: ArchiveWriter) throws {
        for number in 0..<40 {
            let body = try writer.addBody(text(number, length: 300 + 211 * number))
            let entry = try page("https://site.example/page\(number).html", body, writer, time: Int64(number) + 1)
            if number % 7 == 0 {
                try writer.addAlias(CanonicalURL("https://site.example/alias\(number)"), of: entry)
            }
        }
        for number in 0..<80 {
            // More values than a field that all share can have: they become fill strings.
            try writer.add(
                ArchiveRequest(url: "https://api.example/item?\(number)"),
                response: ArchiveResponse(
                    headers: ["ETag": "\"tag \(number)\"", "Content-Type": "text/plain", "X-Number": "n\(number)"]),
                body: nil, time: ArchiveTime(nanoseconds: 5))
        }
        let sent = try writer.addBody(Array("name=value".utf8))
        let empty = try writer.addBody([])
        try writer.add(
            ArchiveRequest(method: "POST", url: "https://api.example/form", headers: ["Accept": "text/html"]),
            requestBody: sent, response: ArchiveResponse(status: 204), body: empty)
        try redirect("https://site.example/old", to: "https://site.example/page1.html", writer)
        try redirect("https://site.example/away", to: "https://elsewhere.example/", writer)
        try writer.add(ArchiveRequest(url: "https://site.example/nothing"), response: nil)
        try writer.setMetadata("title", to: "A sample")
        try writer.setMetadata("icon", to: sent)
    }

    static func text(_ seed: Int, length: Int) -> [UInt8] {
        var random = SeededGenerator(seed: UInt64(seed))
        let words = ["archive ", "block ", "digest ", "entry ", "header ", "index ", "of ", "the ", "<p>", "</p>\n"]
        var text: [UInt8] = []
        while text.count < length { text += Array(words.randomElement(using: &random)?.utf8 ?? "".utf8) }
        return Array(text.prefix(length))
    }

    static func noise(_ seed: Int, length: Int) -> [UInt8] {
        var random = SeededGenerator(seed: UInt64(seed))
        var noise: [UInt8] = []
        noise.reserveCapacity(length + 8)
        while noise.count < length { withUnsafeBytes(of: random.next().littleEndian) { noise.append(contentsOf: $0) } }
        return Array(noise.prefix(length))
    }

    @discardableResult
    static func page(
        _ url: String, _ body: ArchiveWriter.BodyReference?, _ writer: ArchiveWriter, time: Int64 = 0
    ) throws -> ArchiveWriter.EntryReference {
        try writer.add(
            ArchiveRequest(url: url),
            response: ArchiveResponse(headers: ["Content-Type": "text/html; charset=utf-8", "Server": "test"]),
            body: body,
            time: ArchiveTime(nanoseconds: time))
    }

    static func redirect(_ url: String, to target: String, _ writer: ArchiveWriter) throws {
        try writer.add(
            ArchiveRequest(url: url), response: ArchiveResponse(status: 301, headers: ["Location": target]))
    }

    /// Stores several bodies in one raw block, as a packer does, and gives them.
    static func shared(_ contents: [[UInt8]], _ writer: ArchiveWriter) throws -> [ArchiveWriter.BodyReference] {
        let all = Array(contents.joined())
        let block = try all.withUnsafeBytes {
            try writer.builder.appendBlock($0, length: all.count, isCompressed: false, dictionary: 0)
        }
        var offset = 0
        return try contents.map { content in
            defer { offset += content.count }
            return try writer.builder.register(
                ContentDigest(hashing: content), length: UInt64(content.count), block: block, offset: UInt32(offset))
        }
    }
}
