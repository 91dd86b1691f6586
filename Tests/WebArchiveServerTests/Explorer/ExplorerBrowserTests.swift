// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveServer

/// What a browser lets archived content do to the explorer: nothing.
@Suite(.enabled(if: Chromium.isThere), .serialized) struct BrowserTests {
    /// Tells what came of each attempt as an image that nobody has, and thus as a miss.
    private static let attempts = """
        const tell = text => { new Image().src = "/told-" + text };
        document.documentElement.setAttribute("data-ran", "yes");
        tell("started");
        fetch("/-/api/entries").then(r => r.text().then(t => tell("fetch-" + r.status + "-" + t.includes("looked"))))
            .catch(() => tell("fetch-refused"));
        try { parent.document.title = "taken"; tell("parent-" + (parent === window ? "none" : "taken")) }
        catch (e) { tell("parent-refused") }
        """

    private func server(_ script: String) throws -> (TestServer, ReplaySample) {
        let sample = try ReplaySample { writer in
            let page = "<!doctype html><title>x</title><script>\(script)</script><p>Text"
            try ReplaySample.add("https://site.example/attack", "text/html", Array(page.utf8), writer)
            let picture = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>\(script)</script></svg>"
            try ReplaySample.add("https://site.example/attack.svg", "image/svg+xml", Array(picture.utf8), writer)
        }
        return (try TestServer([sample.path]), sample)
    }

    private func told(_ server: TestServer) -> Set<String> {
        Set(
            server.service.misses.all.compactMap { $0.url.split(separator: "/").last }.filter { $0.hasPrefix("told-") }
                .map(String.init))
    }

    @Test func contentRunsNothing() throws {
        let (server, sample) = try server(Self.attempts)
        defer { withExtendedLifetime(sample) {} }
        for name in ["attack", "attack.svg"] {
            let page = try Chromium.document(server.url("/-/entry?url=https://site.example/\(name)"))
            #expect(page.contains("/-/content") && !page.contains("<title>taken"))
            let content = try Chromium.document(server.url("/-/content?url=https://site.example/\(name)"))
            #expect(content.contains("data-ran\", \"yes") && !content.contains("data-ran=\"yes\""))
        }
        #expect(told(server).isEmpty)
    }

    private static let picture =
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/></svg>"

    /// A canvas gives away the pixels of an image of its own origin, as which the explorer would show one of any other.
    @Test func replayedScriptsReadNoPixels() throws {
        let link = "/-/content?url=https://other.example/picture.svg"
        let script = """
            const tell = text => { new Image().src = "/told-" + text };
            const picture = new Image();
            picture.onerror = () => tell("refused");
            picture.onload = () => {
                const context = document.createElement("canvas").getContext("2d");
                context.drawImage(picture, 0, 0);
                try { context.getImageData(0, 0, 1, 1); tell("read") } catch (e) { tell("tainted") }
            };
            picture.src = "\(link)";
            const frame = document.createElement("iframe");
            frame.onload = () => tell("frame");
            frame.src = "\(link)";
            document.documentElement.append(frame);
            """
        let sample = try ReplaySample { writer in
            try ReplaySample.add(
                "https://site.example/attack", "text/html", Array("<!doctype html><script>\(script)</script>".utf8),
                writer)
            try ReplaySample.add(
                "https://other.example/picture.svg", "image/svg+xml", Array(Self.picture.utf8), writer)
        }
        let path = sample.folder.path("log")
        let log = try FileDescriptor.open(path, .writeOnly, options: [.create, .append], permissions: .ownerReadWrite)
        defer { try? log.close() }
        let accessLog = AccessLog(log)
        let server = try TestServer([sample.path], log: accessLog)
        _ = try Chromium.document(server.url("/attack"))
        #expect(told(server).contains("told-refused") && !told(server).contains("told-read"), "\(told(server))")
        accessLog.flush()
        let attacked = String(decoding: try sample.folder.read("log"), as: UTF8.self)
        #expect(
            attacked.contains("/-/content") && !attacked.contains(#/\/-\/content\S* HTTP\/1.1" 200/#), "\(attacked)")
        // The explorer's own page shows it.
        _ = try Chromium.document(server.url("/-/entry?url=https://other.example/picture.svg"))
        accessLog.flush()
        let shown = String(decoding: try sample.folder.read("log"), as: UTF8.self)
        #expect(shown.contains(#/\/-\/content\S* HTTP\/1.1" 200/#), "\(shown)")
    }

    /// What is replayed has the explorer's address, and still cannot read it.
    @Test func replayedScriptsReadNothing() throws {
        let frame = """
            const frame = document.createElement("iframe");
            frame.onload = () => {
                try { tell("frame-" + (frame.contentDocument.querySelector("nav") ? "read" : "empty")) }
                catch (e) { tell("frame-refused") }
            };
            frame.src = "/-/entries";
            document.documentElement.append(frame);
            """
        let (server, sample) = try server(Self.attempts + frame)
        defer { withExtendedLifetime(sample) {} }
        _ = try Chromium.document(server.url("/attack"))
        let told = told(server)
        // The script did run, so that its failures count.
        #expect(told.contains("told-started") && told.contains("told-fetch-403-false"), "\(told)")
        #expect(!told.contains("told-frame-read"), "\(told)")
    }
}

/// A browser that we did not write.
private enum Chromium {
    static let isThere = (try? ExternalTool.run(["chromium", "--version"]))?.status == 0

    /// The page after its scripts have come to rest.
    static func document(_ url: String) throws -> String {
        try ExternalTool.run([
            "timeout", "60", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
            "--dump-dom", url,
        ]).text
    }
}
