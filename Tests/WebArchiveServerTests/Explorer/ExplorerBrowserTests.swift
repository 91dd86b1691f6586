// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveServer

/// The protection of the explorer from archived content in a browser.
@Suite(.enabled(if: Chromium.isThere), .serialized) struct BrowserTests {
    /// Reports the result of each attempt as the URL of a missing image, and thus as a miss.
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
        }
        // A browser that goes to the picture saves it.
        let content = try Chromium.document(server.url("/-/content?url=https://site.example/attack"))
        #expect(content.contains("data-ran\", \"yes") && !content.contains("data-ran=\"yes\""))
        #expect(told(server).isEmpty)
    }

    /// Pages that ask for connections to `@`; some of them where a browser finds a tag and a scanner of tags finds text.
    private static let connecting = [
        "link": "<link rel=preconnect href=@>", "body": "<p>x<link rel=preconnect href=@>",
        "shadow": "<div><template shadowrootmode=open><link rel=preconnect href=@></template></div>",
        "noscript": "<noscript><link rel=preconnect href=@></noscript>", "iframe": "<iframe src=@></iframe>",
        "frame": "<frameset><frame src=@></frameset>",
        "srcdoc": "<iframe srcdoc='<link rel=preconnect href=@>'></iframe>",
        "object": "<object data=@></object>", "embed": "<embed src=@>",
        "refresh": "<meta http-equiv=refresh content='0;url=@'>",
        "style": "<svg><style><p><link rel=preconnect href=@></style>",
        "title": "<svg><title><link rel=preconnect href=@></title></svg>",
        "script": "<script><!--<script></script><!--</script><link rel=preconnect href=@>-->",
        "cdata": "<svg><![CDATA[ > <!-- ]]><p><link rel=preconnect href=@>-->",
        "frames": "<frameset><style><frame src=@></style></frameset>",
        "japanese": "<meta charset=iso-2022-jp>\u{1B}$B<!--\u{1B}(B<link rel=preconnect href=@>",
        "utf16": "<link rel=preconnect href=@>",
        "speculation":
            "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"@\"],\"eagerness\":\"immediate\"}]}</script>",
    ]

    private static let connectingPicture = """
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:h="http://www.w3.org/1999/xhtml" width="9" height="9">\
        <h:link rel="preconnect" href="@"/><image href="@"/></svg>
        """

    /// Neither a preview nor content that a browser goes to opens connections to hosts that an archive names.
    @Test func nothingIsConnectedTo() throws {
        var ports: [String: UnansweredPort] = [:]
        func bytes(_ name: String, _ text: String) throws -> [UInt8] {
            let port = try UnansweredPort()
            ports[name] = port
            let page = text.replacing("@", with: "http://127.0.0.1:\(port.port)/")
            return name == "utf16"
                ? [0xFF, 0xFE] + page.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } : Array(page.utf8)
        }
        let sample = try ReplaySample { writer in
            for (name, text) in Self.connecting {
                try ReplaySample.add(
                    "https://site.example/\(name)", "text/html", bytes(name, "<!doctype html>" + text), writer)
            }
            try ReplaySample.add(
                "https://site.example/picture", "image/svg+xml", bytes("picture", Self.connectingPicture), writer)
        }
        let server = try TestServer([sample.path])
        let explorer = "http://explorer.localhost:\(server.port)/-"
        let entry = try server.curl(
            "\(explorer)/entry?url=https://site.example/link", "--resolve", "*:\(server.port):127.0.0.1")
        let key = try #require(entry.text.firstMatch(of: #/key=\w+/#)?.output)
        func places(_ name: String) -> [String] {
            ["content", "preview"].map { "\(explorer)/\($0)?url=https://site.example/\(name)" }
        }
        let frames = ports.keys.flatMap(places).map { "<iframe src=\"\($0)&\(key)\"></iframe>" }
        let control = try UnansweredPort()
        let page = """
            <!doctype html><body>\(frames.joined())<iframe srcdoc="<link rel=preconnect href=http://127.0.0.1:\(control.port)/>"></iframe>
            <img src="\(places("picture")[0])&\(key)" onload="document.title = this.naturalWidth">
            """
        let path = sample.folder.path("frames.html")
        try Data(page.utf8).write(to: URL(fileURLWithPath: path.string))
        // The pictures in frames are saved.
        let shown = try Chromium.document("file://\(path)", home: sample.folder)
        // Pictures are shown, and the browser had the time to connect.
        #expect(shown.contains("<title>9</title>") && control.takeConnections() > 0, "\(shown)")
        for place in places("link") + ["\(explorer)/entry?url=https://site.example/picture"] {
            _ = try Chromium.document(place, seconds: 20)
        }
        #expect(ports.filter { $0.value.takeConnections() > 0 }.keys.sorted() == [])
    }

    private static let picture =
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/></svg>"

    /// The number of frames of a page tells a page of another site that opened it whether a URL is stored.
    @Test func openersCountNoFrames() throws {
        let sample = try ReplaySample { writer in
            try ReplaySample.add("https://site.example/page", "text/html", Array("<title>x</title>".utf8), writer)
        }
        let server = try TestServer([sample.path])
        #expect(try server.curl(server.url("/-/entry?url=https://site.example/page")).text.contains("<iframe"))
        let stranger = try HTTPTestServer()
        stranger["/framed"] = .html("<iframe src=/framed-inner></iframe>")
        stranger["/"] = .html(
            """
            <script>
            for (const [name, url] of [["own", "/framed"], ["explorer", "\(server.url("/-/entry?url=https://site.example/page"))"]]) {
                const opened = open(url);
                const timer = setInterval(() => {
                    if (!opened.closed && opened.length === 0) return;
                    clearInterval(timer);
                    new Image().src = `/told-${name}-${opened.closed ? "out-of-reach" : opened.length}`;
                }, 20);
            }
            </script>
            """)
        let profile = try TemporaryFolder()
        let browser = try RunningTool([
            "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-popup-blocking",
            "--user-data-dir=\(profile.url.path)", stranger.url().absoluteString,
        ])
        func told() -> [String] { stranger.requests.map(\.target).filter { $0.hasPrefix("/told-") }.sorted() }
        #expect(waits { told().count == 2 }, "\(stranger.requestLines) \(browser.errorText)")
        #expect(told() == ["/told-explorer-out-of-reach", "/told-own-1"])
        browser.signal(SIGTERM)
        _ = browser.result()
    }

    /// A canvas gives away the pixels of an image of its own origin, as which the explorer would show one of any other.
    @Test func replayedScriptsReadNoPixels() throws {
        let link = "/-/content?url=https://other.example/picture.svg"
        let script = """
            const tell = text => { new Image().src = "/told-" + text };
            for (const [name, host] of [["here", ""], ["explorer", "http://explorer.localhost:" + location.port]]) {
                const picture = new Image();
                picture.onerror = () => tell("refused-" + name);
                picture.onload = () => {
                    const context = document.createElement("canvas").getContext("2d");
                    context.drawImage(picture, 0, 0);
                    try { context.getImageData(0, 0, 1, 1); tell("read") } catch (e) { tell("tainted") }
                };
                picture.src = host + "\(link)";
                const frame = document.createElement("iframe");
                frame.onload = () => tell("frame");
                frame.src = host + "\(link)";
                document.documentElement.append(frame);
            }
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
        #expect(told(server).isSuperset(of: ["told-refused-here", "told-refused-explorer"]), "\(told(server))")
        #expect(told(server).isDisjoint(with: ["told-read", "told-tainted"]), "\(told(server))")
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

    /// Words of labels stay whole, and nothing stands beyond the edge, on a phone and on a desk.
    @Test(arguments: [390, 1280]) func labelsStayWhole(width: Int) throws {
        let sample = try ReplaySample { writer in
            try writer.setMetadata("title", to: String(repeating: "Title", count: 100))
            try writer.setMetadata("description", to: "A site")
            try writer.setMetadata("x-base-url", to: "https://site.example/" + String(repeating: "folder/", count: 40))
            let fields: HeaderFields = [
                "Content-Type": "text/plain", "Strict-Transport-Security": String(repeating: "a", count: 500),
                "X-Content-Type-Options": "nosniff",
            ]
            var response = ArchiveResponse(headers: fields, address: "192.0.2.1", codings: ["gzip"])
            response.modified = ArchiveTime(seconds: 784_111_777)
            try writer.add(
                ArchiveRequest(url: "https://site.example/long/" + String(repeating: "x", count: 300), headers: fields),
                response: response, body: writer.addBody(Array("text".utf8)))
        }
        let client = try ExplorerClient(sample)
        client.service.note(client.get("/gone/" + String(repeating: "y", count: 300)))
        let id = try #require(try client.json("/-/api/entries?q=/long/")["entries"] as? [[String: Any]]).first?["id"]
        let paths = [
            "/-/", "/-/entries", "/-/entries?q=nothing", "/-/entry?entry=\(try #require(id))", "/-/space", "/-/misses",
            "/-/entry?url=https://site.example/old",
        ]
        let pages = try paths.map { path in try client.html(path) }
        let data = String(decoding: try JSONSerialization.data(withJSONObject: pages), as: UTF8.self)
        let script = """
            const found = []
            for (const page of \(data.replacing("</", with: "<\\/"))) {
                const frame = document.createElement("iframe")
                frame.width = \(width)
                frame.srcdoc = page.replaceAll("<iframe", "<i").replaceAll("<img", "<i")
                document.body.append(frame)
                frame.onload = () => {
                    const text = frame.contentDocument, root = text.documentElement
                    if (root.scrollWidth > \(width)) found.push("wide " + root.scrollWidth)
                    for (const label of text.querySelectorAll("th, label, button, nav a, a.way, caption, option"))
                        for (const node of label.childNodes) if (node.nodeType == 3)
                            for (const word of node.data.matchAll(/[\\w.]{1,16}/g)) {
                                const range = text.createRange()
                                range.setStart(node, word.index)
                                range.setEnd(node, word.index + word[0].length)
                                if (range.getClientRects().length > 1 && !/xxxx|yyyy/.test(node.data)) found.push(word[0])
                            }
                    document.body.setAttribute("data-found", JSON.stringify(found))
                    document.body.setAttribute("data-pages", +(document.body.getAttribute("data-pages") ?? 0) + 1)
                }
            }
            """
        let path = sample.folder.path("pages.html")
        try Data("<!doctype html><meta charset=utf-8><body><script>\(script)</script>".utf8).write(
            to: URL(fileURLWithPath: path.string))
        let result = try Chromium.document("file://\(path)")
        #expect(result.contains("data-pages=\"\(paths.count)\""))
        let found = try #require(try result.firstMatch(of: Regex("data-found=\"([^\"]*)\""))?.output[1].substring)
        #expect(found == "[]")
    }

    /// A preview has the page's styles and pictures, and still neither scripts nor an origin.
    @Test func previewHasStyles() throws {
        let style = "@import url(more/blue.css) screen;\n/* </style> */ p{color:rgb(1,2,3)}"
        let page = """
            <!doctype html><title>P</title><meta http-equiv="Content-Security-Policy" content="style-src 'none'">
            <link rel="stylesheet" href="css/own.css?v=1"><style>@import "css/more/green.css";</style>
            <p id=p>Text</p><b id=b>Text</b><i id=i>Text</i><img src=../picture.svg><script>document.title = "ran"</script>
            """
        let sample = try ReplaySample { writer in
            func add(_ path: String, _ type: String, _ text: String) throws {
                try ReplaySample.add("https://site.example/\(path)", type, Array(text.utf8), writer)
            }
            try add("dir/page", "text/html", page)
            try add("dir/css/own.css?v=1", "text/css", style)
            try add("dir/css/more/blue.css", "text/css", "b{color:rgb(4,5,6)} b::after{content:'\u{2713}'}")
            try add("dir/css/more/green.css", "text/css", "i{color:rgb(7,8,9)}")
            try add("picture.svg", "image/svg+xml", Self.picture)
        }
        let client = try ExplorerClient(sample)
        #expect(try client.html("/-/entry?url=https://site.example/dir/page").contains("src=\"/-/preview?entry="))
        let response = client.get("/-/preview?url=https://site.example/dir/page")
        #expect(
            response.field(.contentSecurityPolicy)?.hasPrefix("sandbox; default-src 'none'; style-src 'unsafe-inline'")
                == true)
        // The policy of the response forbids all scripts; without it one can measure what the page looks like.
        let measured =
            try response.text.replacing("<script>document.title = \"ran\"</script>", with: "") + """
                <script>addEventListener("load", () => {
                    const of = (id, part) => getComputedStyle(document.getElementById(id), part)
                    document.title = [of("p").color, of("b").color, of("i").color, of("b", "::after").content,
                        document.images[0].naturalWidth].join("|")
                })</script>
                """
        let path = sample.folder.path("preview.html")
        try Data(measured.utf8).write(to: URL(fileURLWithPath: path.string))
        let result = try Chromium.document("file://\(path)")
        #expect(result.contains("<title>rgb(1, 2, 3)|rgb(4, 5, 6)|rgb(7, 8, 9)|\"\u{2713}\"|9</title>"), "\(result)")
        // As it is stored it can be had as well.
        #expect(try client.get("/-/content?url=https://site.example/dir/page").text == page)
    }

    /// A replayed page has the explorer's address, and still cannot read the explorer.
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
    ///
    /// - Parameters:
    ///   - home: the folder in which the browser saves files; the user's own if nil.
    ///   - seconds: the time after which the browser is ended: it never ends by itself where a page is saved as a file.
    static func document(_ url: String, home: TemporaryFolder? = nil, seconds: Int = 60) throws -> String {
        try ExternalTool.run(
            (home.map { ["HOME=\($0.url.path)"] } ?? []) + [
                "timeout", "\(seconds)", "chromium", "--headless", "--no-sandbox", "--disable-gpu",
                "--virtual-time-budget=5000",
                "--dump-dom", url,
            ]
        ).text
    }
}
