// SPDX-License-Identifier: Apache-2.0

package import SystemPackage
package import WebArchive

/// A small site for tests, in a file of its own.
package struct ReplaySample {
    package let folder: TemporaryFolder
    package let path: FilePath

    package static let page = Array("<!doctype html><title>Home</title><p>Welcome.\n".utf8)
    package static let style = Array("body{color:teal}\n".utf8)
    /// Longer than a block, so that it is sent in several pieces, and not to be shrunk.
    package static let film: [UInt8] = {
        var random = SeededGenerator(seed: 20)
        return random.bytes(700_000)
    }()

    /// `fill` adds what a test needs.
    package init(
        _ name: String = "site.webarc", in folder: TemporaryFolder? = nil, withSite: Bool = true,
        _ fill: (ArchiveWriter) throws -> Void = { _ in }
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        path = self.folder.path(name)
        let writer = try ArchiveWriter(creating: path)
        if withSite { try Self.addSite(writer) }
        try fill(writer)
        try writer.commit()
    }

    package static func addSite(_ writer: ArchiveWriter) throws {
        let modified = ArchiveTime(seconds: 784_111_777)
        let page = try writer.addBody(page)
        let home = try writer.add(
            ArchiveRequest(url: "https://site.example/"),
            response: ArchiveResponse(headers: ["Content-Type": "text/html"], modified: modified), body: page)
        try writer.addAlias(CanonicalURL("https://site.example/index.html"), of: home)
        try add("https://site.example/style.css", "text/css", style, writer)
        try add("https://site.example/film.webm", "video/webm", film, writer)
        try add("https://cdn.example/font.woff2", "font/woff2", [1, 2, 3], writer)
        for (name, target) in [("old", "https://site.example/index.html#top"), ("away", "https://other.example/")] {
            try writer.add(
                ArchiveRequest(url: "https://site.example/\(name)"),
                response: ArchiveResponse(status: 301, headers: ["Location": target], redirectTarget: target))
        }
        try writer.setMetadata("mainPage", to: "https://site.example/")
    }

    package static func add(_ url: String, _ type: String, _ bytes: [UInt8], _ writer: ArchiveWriter) throws {
        try writer.add(
            ArchiveRequest(url: url), response: ArchiveResponse(headers: ["Content-Type": type]),
            body: writer.addBody(bytes))
    }
}
