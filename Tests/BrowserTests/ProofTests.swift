// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveBrowser
import WebArchiveCrawling

extension BrowserTests {
    /// The command with its programs, and the prover, with a real browser.
    @Suite(.serialized) struct ProofTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// Packs a site of two pages, each with parts that only it needs.
        private func pack() throws -> FilePath {
            for (name, text) in Self.files { try folder.write("site/\(name)", Array(text.utf8)) }
            let archive = folder.path("site.webarc")
            let packed = try WebarcTool.run(
                "pack", folder.path("site").string, "-o", archive.string, "--base-url", "https://site.example/")
            try #require(packed.status == 0, "\(packed.errorText)")
            return archive
        }

        private static let files = [
            "index.html": """
            <!doctype html><title>Harbour</title><link rel=stylesheet href=style.css><h1>Harbour</h1>
            <p id=ships></p><script type=module src=app.js></script>
            """,
            "style.css": "h1 { background: url(wave.svg) }",
            "wave.svg":
                "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='5' height='5'/></svg>",
            "app.js": "const data = await fetch('data.json')\nships.textContent = (await data.json()).ships",
            "data.json": #"{"ships": 42}"#,
            "second.html":
                "<!doctype html><title>Second</title><link rel=stylesheet href=style.css><iframe src=frame.html></iframe>",
            "frame.html": "<!doctype html><title>Frame</title><script>new Worker('worker.js')</script>",
            "worker.js": "fetch('from-worker.txt')",
            "from-worker.txt": "worked",
            "unused.txt": "no page needs it",
        ]

        /// The lines of the command's JSON: the pages, and then the summary.
        private func prove(
            _ archive: FilePath, _ options: String...
        ) throws -> (status: Int32, pages: [[String: Any]], summary: [String: Any]) {
            let result = try WebarcTool.run(["prove", archive.string, "--json", "--tabs", "4"] + options)
            let lines = try result.text.split(separator: "\n").map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
            let summary = try #require(lines.last, "\(result.errorText)")
            return (result.status, lines.dropLast(), summary)
        }

        private func misses(_ summary: [String: Any]) -> [String] {
            (summary["misses"] as? [[String: Any]] ?? []).map { "\($0["method"] ?? "") \($0["url"] ?? "")" }
        }

        @Test func aPackedSiteIsComplete() throws {
            let archive = try pack()
            let report = folder.path("report.html")
            let (status, pages, summary) = try prove(archive, "--report", report.string)
            #expect(status == 0)
            #expect(misses(summary).isEmpty)
            #expect(Set(pages.map { $0["title"] as? String }) == ["Harbour", "Second", "Frame"])
            let counts = Dictionary(uniqueKeysWithValues: pages.map { ($0["page"] as? String, $0["exact"] as? Int) })
            // The page, its style sheet, the sheet's picture, the script and its data.
            #expect(counts["https://site.example/"] == 5 || counts["https://site.example/index.html"] == 5)
            // The page, the sheet, the frame, its worker and the worker's text; without a heading no picture.
            #expect(counts["https://site.example/second.html"] == 5)
            for page in pages { #expect(page["text"] as? String == "repeatable", "\(page)") }
            #expect(try String(decoding: folder.read("report.html"), as: UTF8.self).contains("Complete"))
        }

        /// Entries are removed: two that pages need, which the proof names with these pages, and one that no page needs.
        @Test func whatIsMissingIsNamed() throws {
            let archive = try pack()
            let less = folder.path("less.webarc")
            let removed = ["wave.svg", "from-worker.txt", "unused.txt"].map { "https://site.example/\($0)" }
            let extracted = try WebarcTool.run(
                ["extract", archive.string, "-o", less.string] + removed.flatMap { ["--exclude", $0] })
            try #require(extracted.status == 0, "\(extracted.errorText)")
            let pages = ["https://site.example/", "https://site.example/second.html"]
            let (status, _, summary) = try prove(less, "--page", pages[0], "--page", pages[1])
            #expect(misses(summary) == ["GET \(removed[1])", "GET \(removed[0])"])
            let named = (summary["misses"] as? [[String: Any]])?.map { $0["pages"] as? [String] }
            #expect(named == [[pages[1]], [pages[0]]])
            #expect(status == 1)
        }

        /// A crawl of a page that has changed since: each request has its class, and the text is that of the list of pages.
        @Test func aCrawlIsCompared() async throws {
            let path = folder.path("crawl.webarc")
            let origin = "https://site.example/"
            let page = """
                <!doctype html><title>Page</title><link rel=icon href=data:,><p>Hello</p>
                <script src=same.js></script><script src=other.js></script><script src=more.js></script>
                <script>fetch('data?_=' + Date.now()).catch(() => {})</script>
                """
            let bodies = ["": page, "same.js": "1", "other.js": "2", "more.js": "3", "data?_=1589234567890": "4"]
            let builder = try CommitBuilder(creating: path)
            func body(_ text: String) throws -> CommitBuilder.BodyReference {
                try Array(text.utf8).withUnsafeBytes { try builder.addBody($0) }
            }
            for (name, text) in bodies {
                let type = name.isEmpty ? "text/html" : "text/javascript"
                try builder.add(
                    ArchiveRequest(url: origin + name), response: ArchiveResponse(headers: ["Content-Type": type]),
                    body: body(text))
            }
            let time = ArchiveTime(seconds: 1_700_000_000)!
            let crawled = ["": page, "same.js": "1", "other.js": "former", "data?_=1589234567890": "4", "gone.js": "5"]
            let requests = crawled.map { name, text in
                ObservedRequest(
                    url: origin + name, status: 200, body: ContentDigest(hashing: Array(text.utf8)), isFrame: name == ""
                )
            }
            try PageObservation(url: origin, time: time, requests: requests).add(to: builder)
            try builder.add(
                ArchivePage(url: origin, time: time), text: body("Hello"))
            try builder.commit()
            let archive = try ArchiveReader(path: path)
            let prover = ArchiveProver(path, archive, options: ArchiveProver.Options(), logger: BrowserTests.logger)
            let report = try await prover.run(ProvenPages(of: archive))
            let proof = try #require(report.pages.first)
            #expect(report.isComplete && proof.isCompared)
            func names(_ requestClass: RequestClass) -> Set<String> {
                Set(
                    proof.requests.filter { $0.requestClass == requestClass }.map {
                        String($0.identity.url.dropFirst(origin.count).prefix { $0 != "?" })
                    })
            }
            #expect(names(.exact) == ["", "same.js"])
            #expect(names(.byRule) == ["data"])
            #expect(names(.new) == ["other.js", "more.js"])
            #expect(names(.notAskedAgain) == ["other.js", "gone.js"])
            #expect(proof.text == .equal)
        }

        /// Each way to a network that pages have is a miss or a leak with its address.
        @Test func attemptsAreNamed() async throws {
            let path = folder.path("attack.webarc")
            let writer = try ArchiveWriter(creating: path)
            try writer.add(
                ArchiveRequest(url: "https://attack.example/"),
                response: ArchiveResponse(headers: ["Content-Type": "text/html"]),
                body: writer.addBody(Array(Self.attack.utf8)))
            // As a recording has it: the messages are the body.
            try writer.add(
                ArchiveRequest(url: "wss://recorded.example/chat"), response: ArchiveResponse(status: 101),
                body: writer.addBody(Array(#"{"text": "hello"}"#.utf8)))
            try writer.commit()
            let archive = try ArchiveReader(path: path)
            var options = ArchiveProver.Options()
            // The proxy holds without a namespace, which not every system permits.
            options.permitsNamespace = false
            let prover = ArchiveProver(path, archive, options: options, logger: BrowserTests.logger)
            let report = try await prover.run(ProvenPages(of: archive))
            #expect(report.isolation == .proxy)
            let missed = report.faults(.missed).map { "\($0.request.identity.method) \($0.request.identity.url)" }
            #expect(
                Set(missed) == [
                    "GET https://fetch.example/", "POST https://beacon.example/", "GET wss://socket.example/",
                    "GET https://events.example/", "GET https://worker.example/", "GET https://frame.example/",
                    "GET https://192.0.2.1/image.png",
                ])
            let recorded = report.faults(.notReplayed).map(\.request.identity.url)
            #expect(recorded == ["wss://recorded.example/chat"])
            let leaked = report.faults(.leaked).map { "\($0.request.identity.method) \($0.request.identity.url)" }
            #expect(Set(leaked) == ["WebRTC stun:203.0.113.7:3478", "WebTransport https://transport.example/"])
            #expect(!report.isComplete)
        }

        private static let attack = """
            <!doctype html><title>Attack</title>
            <script>
            JSON.stringify = () => '{}'
            Object.prototype.toJSON = () => '{}'
            Array.prototype.flatMap = Array.prototype.map = () => []
            Reflect.apply = Reflect.construct = String = () => {}
            fetch('https://fetch.example/').catch(() => {})
            navigator.sendBeacon('https://beacon.example/', 'x')
            new WebSocket('wss://socket.example/')
            new WebSocket('wss://recorded.example/chat')
            new EventSource('https://events.example/')
            new WebTransport('https://transport.example/').ready.catch(() => {})
            new Image().src = 'https://192.0.2.1/image.png'
            new Worker(URL.createObjectURL(new Blob(["fetch('https://worker.example/').catch(() => {})"])))
            const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:203.0.113.7:3478' }] })
            peer.createDataChannel('x')
            peer.createOffer().then(offer => peer.setLocalDescription(offer))
            </script>
            <iframe src="https://frame.example/"></iframe>
            """

        /// A list of pages may have any URL; the browser is asked for those of the web alone.
        @Test func aFileIsNotReplayed() async throws {
            let path = folder.path("list.webarc")
            let secret = try folder.write("secret.html", Array("<title>Secret</title>".utf8))
            let builder = try CommitBuilder(creating: path)
            let body = try Array("x".utf8).withUnsafeBytes { try builder.addBody($0) }
            try builder.add(ArchiveRequest(url: "https://a.example/"), response: ArchiveResponse(), body: body)
            for prefix in ["file://", "view-source:file://"] {
                try builder.add(
                    ArchivePage(url: prefix + secret.string, time: ArchiveTime(seconds: 1_700_000_000)), text: nil)
            }
            try builder.commit()
            let archive = try ArchiveReader(path: path)
            let prover = ArchiveProver(path, archive, options: ArchiveProver.Options(), logger: BrowserTests.logger)
            let report = try await prover.run(ProvenPages(of: archive))
            #expect(report.pages.count == 2 && !report.isComplete)
            for page in report.pages { #expect(page.title == nil && page.failure == "not an http or https URL") }
        }

        /// A page that shows the time, and numbers by lot, shows the same in both replays only under fixed conditions.
        @Test func conditionsMakePagesRepeatable() async throws {
            let path = folder.path("clock.webarc")
            let writer = try ArchiveWriter(creating: path)
            let page = """
                <!doctype html><title>Clock</title><p id=text></p><script>
                text.textContent = [Date.now(), new Date().toISOString(), Math.random(), crypto.randomUUID(),
                  crypto.getRandomValues(new Uint8Array(8)), new Date(0) instanceof Date, new Date(2020, 1).getFullYear()].join()
                </script>
                """
            try writer.add(
                ArchiveRequest(url: "https://clock.example/"),
                response: ArchiveResponse(headers: ["Content-Type": "text/html"]),
                body: writer.addBody(Array(page.utf8)))
            try writer.commit()
            let archive = try ArchiveReader(path: path)
            var options = ArchiveProver.Options()
            options.conditions = PageConditions(clock: ArchiveTime(seconds: 1_700_000_000), seed: 7)
            options.takesScreenshots = true
            let prover = ArchiveProver(path, archive, options: options, logger: BrowserTests.logger)
            let report = try await prover.run(ProvenPages(of: archive))
            #expect(report.pages.first?.text == .repeatable)
            #expect(report.pages.first?.screenshot == .repeatable)
        }
    }
}
