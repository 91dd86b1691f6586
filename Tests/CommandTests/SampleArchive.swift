// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import WebArchive

/// A small archive with something of everything that the format has.
struct SampleArchive {
    static let base = "https://example.org/"
    static let page = Array("<!doctype html><title>Sample</title><p>Grüße\n".utf8)
    static let image = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }

    let folder: TemporaryFolder
    let path: FilePath
    var file: String { path.string }

    /// Writes `sample.webarc` with as many commits as are wanted.
    init(commits: Int = 1) throws {
        folder = try TemporaryFolder()
        path = folder.path("sample.webarc")
        let first = try ArchiveWriter(creating: path)
        try Self.addSite(to: first)
        try first.setMetadata("title", to: "Sample")
        try first.commit()
        for number in 1..<max(commits, 1) {
            let later = try ArchiveWriter(appendingTo: path)
            try Self.addNews(number, to: later)
            try later.commit()
        }
    }

    private static func addSite(to writer: ArchiveWriter) throws {
        let time = ArchiveTime(seconds: 1_735_689_600)
        let page = try writer.addBody(page)
        let html: HeaderFields = ["Content-Type": "text/html; charset=utf-8", "X-Odd": "caf\u{E9} \u{1B}[31m"]
        let index = try writer.add(
            ArchiveRequest(url: base + "index.html"), response: ArchiveResponse(headers: html), body: page, time: time)
        try writer.addAlias(CanonicalURL(parsing: base), of: index)
        try writer.add(
            ArchiveRequest(url: base + "copy.html"), response: ArchiveResponse(headers: html), body: page, time: time)
        try writer.add(
            ArchiveRequest(url: base + "img/a.png"), response: ArchiveResponse(headers: ["Content-Type": "image/png"]),
            body: writer.addBody(image), time: time)
        try writer.add(
            ArchiveRequest(url: base + "old"), response: ArchiveResponse(status: 301, headers: ["Location": "older"]))
        try writer.add(
            ArchiveRequest(url: base + "older"),
            response: ArchiveResponse(status: 302, headers: ["Location": "/copy.html"])
        )
        try writer.add(
            ArchiveRequest(url: base + "loop"), response: ArchiveResponse(status: 302, headers: ["Location": "/loop"]))
        try writer.add(
            ArchiveRequest(method: "POST", url: base + "form", headers: ["Content-Type": "text/plain"]),
            requestBody: writer.addBody(Array("a=1".utf8)), response: ArchiveResponse(status: 404, reason: "Not Found"))
        try writer.add(ArchiveRequest(url: base + "empty/"), response: nil)
        try writer.add(
            ArchiveRequest(url: base + "_headers"), response: ArchiveResponse(), body: writer.addBody(Array("/*".utf8)),
            role: .unpackOnly)
    }

    private static func addNews(_ number: Int, to writer: ArchiveWriter) throws {
        let body = try writer.addBody(Array("News number \(number)".utf8))
        let time = ArchiveTime(seconds: 1_735_689_600 + Int64(number))
        let response = ArchiveResponse(headers: ["Content-Type": "text/plain"])
        let news = try writer.add(ArchiveRequest(url: base + "news"), response: response, body: body, time: time)
        try writer.addAlias(CanonicalURL(parsing: base + "news/"), of: news)
        // The same moment in every commit: then the later one is the newest.
        try writer.add(
            ArchiveRequest(url: base + "tie"), response: response, body: body, time: ArchiveTime(seconds: 1_000))
        try writer.setMetadata("title", to: "Sample \(number)")
    }

    /// Writes a copy with some bytes changed, and gives its path.
    func damaged(_ name: String = "damaged.webarc", _ change: (inout [UInt8]) -> Void) throws -> String {
        var bytes = try folder.read("sample.webarc")
        change(&bytes)
        return try folder.write(name, bytes).string
    }

    /// A copy of which the first block does not match its checksum.
    func damagedInBlock() throws -> String { try damaged { $0[100] ^= 0x55 } }
}
