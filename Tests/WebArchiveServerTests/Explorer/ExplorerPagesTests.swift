// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay
@testable import WebArchiveServer

@Suite struct ExplorerPagesTests {
    private static let pages = [
        "/-/", "/-/pages", "/-/entries", "/-/entry?url=https://site.example/", "/-/space", "/-/misses",
    ]

    @Test(arguments: pages) func everyPageIsSealed(path: String) throws {
        let client = try ExplorerClient(ReplaySample())
        let response = client.get(path)
        #expect(response.status == 200 && response.field(.contentType) == "text/html; charset=utf-8")
        #expect(response.field(.xContentTypeOptions) == "nosniff")
        #expect(response.field(.referrerPolicy) == "no-referrer")
        #expect(response.field(.frameOptions) == "DENY")
        // The page of another site that opens one of these cannot count its frames, and so learns nothing of what is stored.
        #expect(response.field(.crossOriginOpenerPolicy) == "same-origin")
        let policy = (response.field(.contentSecurityPolicy) ?? "").split(separator: ";").map(
            \.trimmingOptionalWhitespace)
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        let sandbox = try #require(policy.first { $0.hasPrefix("sandbox") }).split(separator: " ")
        #expect(!sandbox.contains("allow-scripts") && !sandbox.contains("allow-same-origin"))
        let head = client.get(path, method: .head)
        #expect(head.parts.isEmpty && head.field(.contentLength) == response.field(.contentLength))
        #expect(client.get(path, method: .post).status == 405)
        #expect(client.get(path, host: "evil.example").status == 421)
        // Scripts of what is replayed have the same origin.
        #expect(client.get(path, [.fetchDestination: "empty"]).status == 403)
        #expect(client.get(path, [.fetchDestination: "iframe"]).status == 403)
        #expect(client.get(path, [.fetchDestination: "document"]).status == 200)
    }

    /// The report is at its address with its bytes, and as sealed as the others; without one neither it nor the link is there.
    @Test func aReport() throws {
        let without = try ExplorerClient(ReplaySample())
        #expect(without.get("/-/report").status == 404)
        #expect(try !without.html("/-/").contains("/-/report"))
        var options = ReplayService.Options()
        let document = "<!doctype html><style>p{color:teal}</style><p>Proven <script>alert(1)</script>"
        options.report = Array(document.utf8)
        let client = try ExplorerClient(ReplaySample(), options: options)
        #expect(try client.html("/-/report") == document)
        #expect(try client.html("/-/").contains("href=\"/-/report\""))
        let policy = client.get("/-/report").field(.contentSecurityPolicy) ?? ""
        #expect(policy.contains("sandbox;") && policy.contains("default-src 'none'") && !policy.contains("script"))
        #expect(client.get("/-/report", [.fetchDestination: "empty"]).status == 403)
        #expect(client.get("/-/report", [.fetchDestination: "document", .fetchSite: "same-origin"]).status == 403)
        #expect(client.get("/-/report", method: .head).parts.isEmpty)
    }

    /// A service worker of a replayed site reads what the browser loads ahead of it, whatever address of its scope is navigated to.
    @Test(arguments: pages + ["/-/metrics"]) func servedToNoReplayedPage(path: String) throws {
        let client = try ExplorerClient(ReplaySample())
        for site in ["same-origin", "same-site", "Same-Origin", "cross-site, same-origin", ""] {
            #expect(client.get(path, [.fetchDestination: "document", .fetchSite: site]).status == 403)
        }
        let preload = client.get(path, [.fetchDestination: "document", .serviceWorkerNavigationPreload: "true"])
        #expect(preload.status == 403)
        for site in ["none", "cross-site"] {
            #expect(client.get(path, [.fetchDestination: "document", .fetchSite: site]).status == 200)
        }
    }

    /// A browser gets the explorer under a host that no replayed site has.
    @Test(arguments: [
        ("localhost", "explorer.localhost"), ("127.0.0.1:8080", "explorer.localhost:8080"),
        ("[::1]:81", "explorer.localhost:81"),
        ("LOCALHOST.:82", "explorer.localhost:82"), ("manual.localhost:80", "manual.explorer.localhost"),
        ("127.9.9.9", "explorer.localhost"),
    ])
    func aBrowserIsLedToTheExplorer(host: String, explorer: String) throws {
        let client = try ExplorerClient(ReplaySample())
        for path in ["/-", "/-/", "/-/entries?q=a%20b", "/-/health", "/-/metrics"] {
            for site in ["none", "same-origin", "cross-site"] {
                let led = client.get(path, [.fetchDestination: "document", .fetchSite: site], host: host)
                #expect(led.status == 307 && led.field(.location) == "http://\(explorer)\(path)")
            }
            for part in ["empty", "image", "iframe", "serviceworker"] {
                #expect(
                    client.get(path, [.fetchDestination: part, .fetchSite: "cross-site"], host: host).status == 403)
            }
            // A program that is no browser runs no scripts of a site.
            #expect(client.get(path, host: host).status == client.get(path, host: explorer).status)
        }
        #expect(client.get("/-/entries", [.fetchDestination: "document"], host: explorer).status == 200)
        let back = client.get("/style.css?a", [.fetchSite: "cross-site"], host: explorer)
        #expect(
            back.status == 307
                && back.field(.location)?.hasSuffix("localhost\(explorer.drop { $0 != ":" })/style.css?a") == true)
        #expect(back.field(.location)?.contains("explorer") == false)
        #expect(client.get("/", host: explorer).field(.location) == "http://\(explorer)/-/")
    }

    /// Names that the operator adds need not resolve with a label more.
    @Test func anAddedNameHasTheExplorerItself() throws {
        var options = ReplayService.Options()
        options.ownNames = ["Kiosk.local:8080", "localhost", "2001:db8::7"]
        let client = try ExplorerClient(ReplaySample(), options: options)
        for host in ["kiosk.local:8080", "kiosk.local", "localhost", "[2001:DB8::7]:80"] {
            #expect(client.get("/-/entries", [.fetchDestination: "document"], host: host).status == 200)
        }
        #expect(client.get("/-/entries", [.fetchDestination: "document"], host: "127.0.0.1").status == 307)
    }

    /// A browser that has a worker of an archive served here before looks for its script.
    @Test(arguments: ["text/html", nil] as [String?]) func aWorkerOfAnEarlierArchiveIsReplaced(type: String?) throws {
        let client = try ExplorerClient(
            ReplaySample {
                if let type { try ReplaySample.add("https://site.example/sw.js", type, [1], $0) }
                try ReplaySample.add("https://site.example/own.js", "application/javascript", [2], $0)
            })
        let script: HTTPFields = [.serviceWorker: "script", .fetchDestination: "serviceworker"]
        let response = client.get("/sw.js", script, host: "localhost")
        #expect(response.status == 200 && response.field(.contentType)?.hasPrefix("text/javascript") == true)
        #expect(try response.text.contains("registration.unregister()"))
        #expect(try response.field(.contentLength) == String(response.content().count))
        #expect(try client.get("/own.js", script, host: "localhost").content() == [2])
        #expect(client.get("/sw.js", host: "localhost").status == (type == nil ? 404 : 200))
        // One that an earlier version let into the explorer's host.
        #expect(try client.get("/own.js", script).text.contains("registration.unregister()"))
    }

    /// A worker of the whole origin is given responses to navigations that look like a user's (static routes).
    @Test func noWorkerSpeaksForTheWholeOrigin() throws {
        let type = "text/javascript"
        let sample = try ReplaySample {
            for path in ["sw.js", "app/sw.js"] { try ReplaySample.add("https://site.example/\(path)", type, [1], $0) }
            try $0.add(
                ArchiveRequest(url: "https://site.example/app/wide.js"),
                response: ArchiveResponse(headers: ["Content-Type": type, "Service-Worker-Allowed": "/"]),
                body: $0.addBody([2]))
        }
        var options = ReplayService.Options()
        options.ownNames = ["kiosk.local"]
        let client = try ExplorerClient(sample, options: options)
        let script: HTTPFields = [.serviceWorker: "script", .fetchDestination: "serviceworker"]
        func get(_ path: String, _ fields: HTTPFields, host: String = "kiosk.local:80") -> ReplayResponse {
            client.get(path, fields, host: host)
        }
        #expect(get("/sw.js", script).status == 403)
        #expect(get("/sw.js?of=/a/b", script).status == 403)
        #expect(get("/app/sw.js", script).status == 200)
        let wide = get("/app/wide.js", script)
        #expect(wide.status == 200 && wide.field(.serviceWorkerAllowed) == nil)
        // A browser may take the script from its cache, after a request for it without the field.
        let cached = get("/sw.js", [:])
        #expect(cached.status == 200 && cached.field(.vary) == "Service-Worker")
        // Elsewhere the explorer has another origin.
        let free = get("/app/wide.js", script, host: "localhost")
        #expect(free.status == 200 && free.field(.serviceWorkerAllowed) == "/")
        #expect(get("/sw.js", script, host: "localhost").field(.vary) == nil)
        options.hasServerPages = false
        let without = try ExplorerClient(sample, options: options)
        #expect(without.get("/sw.js", script, host: "kiosk.local").status == 200)
    }

    @Test func canBeSwitchedOff() throws {
        var options = ReplayService.Options()
        options.hasServerPages = false
        let client = try ExplorerClient(ReplaySample(), options: options)
        for path in Self.pages { #expect(client.get(path, host: "localhost").isMissing, "\(path)") }
        // A site has no place there, where its service worker would wait for the explorer of another.
        for path in Self.pages + ["/style.css"] { #expect(client.get(path).status == 421) }
    }

    @Test func showsWhatIsThere() throws {
        let sample = try ReplaySample { try $0.setMetadata("title", to: "A fine site") }
        let client = try ExplorerClient(sample)
        #expect(client.get("/-").field(.location) == "/-/")
        #expect(try client.html("/-/").contains("A fine site"))
        #expect(try client.html("/-/entries?q=style").contains("https://site.example/style.css"))
        let page = try client.html("/-/entry?url=https://site.example/style.css")
        #expect(page.contains("text/css") && page.contains(ContentDigest(hashing: ReplaySample.style).description))
        #expect(page.contains("href=\"/style.css\""))
        let redirect = try client.html("/-/entry?url=https://site.example/old")
        #expect(redirect.contains("<h2>Redirects</h2>") && redirect.contains("https://site.example/index.html"))
        #expect(client.get("/-/entry?url=https://site.example/none").status == 404)
        #expect(client.get("/-/api/entry").status == 404)
        #expect(client.get("/-/nothing").status == 404)
    }

    /// An entry of another layer and another origin opens as well, and its page can be seen.
    @Test func entriesOfASecondArchiveOpen() throws {
        let folder = try TemporaryFolder()
        let first = try ReplaySample("first.webarc", in: folder)
        let second = try ReplaySample("second.webarc", in: folder, withSite: false) {
            try ReplaySample.add(
                "https://second.example/page", "text/html", Array("<title>T</title><p>Second".utf8), $0)
        }
        let client = try ExplorerClient(first, and: [second])
        let list = try client.json("/-/api/entries?layer=1")
        let id = try #require((list["entries"] as? [[String: Any]])?.first?["id"] as? String)
        #expect(try client.html("/-/entries?layer=1").contains("href=\"/-/entry?entry=\(id)\">T</a>"))
        let page = try client.html("/-/entry?entry=\(id)")
        #expect(page.contains("second.webarc") && page.contains("<a href=\"/-/preview?entry=\(id)\">"))
        #expect(try client.html("/-/preview?entry=\(id)").contains("Second"))
    }

    /// Pages speak of what people know: names of the format have words.
    @Test func namesOfMetadataAreWords() throws {
        let sample = try ReplaySample { writer in
            try writer.setMetadata("x-base-url", to: "https://site.example/")
            try writer.setMetadata("x-catalogue-number", to: "17")
            try writer.setMetadata("generator", to: "a program")
        }
        let page = try ExplorerClient(sample).html("/-/")
        for label in ["Address of the site", "Catalogue number", "Made with", "Main page"] {
            #expect(page.contains(">\(label)</th>"), "\(label)")
        }
        for name in ["x-base-url", "x-catalogue", "mainPage", ">generator"] { #expect(!page.contains(name), "\(name)") }
    }

    @Test func entriesOfOneURLAreToldApart() throws {
        let sample = try ReplaySample { writer in
            for (method, type) in [("GET", "text/plain"), ("POST", "image/png")] {
                try writer.add(
                    ArchiveRequest(method: method, url: "https://site.example/form"),
                    response: ArchiveResponse(headers: ["Content-Type": type]), body: writer.addBody([1]))
            }
        }
        let client = try ExplorerClient(sample)
        for (method, type) in [("", "text/plain"), ("&method=POST", "image/png")] {
            let entry = try client.json("/-/api/entry?url=https://site.example/form\(method)")
            #expect(entry["mediaType"] as? String == type)
            #expect((entry["others"] as? [Any])?.count == 1)
            let id = try #require(entry["id"] as? String)
            #expect(try client.json("/-/api/entry?entry=\(id)")["mediaType"] as? String == type)
        }
        #expect(client.get("/-/api/entry?url=https://site.example/form&method=PUT").status == 404)
    }

    @Test func whatWasMissedIsCounted() throws {
        let client = try ExplorerClient(ReplaySample())
        for path in ["/gone", "/gone", "/lost"] { client.service.note(client.get(path, host: "localhost")) }
        let misses = try #require(try client.json("/-/api/misses")["misses"] as? [[String: Any]])
        #expect(misses.map { $0["url"] as? String } == ["https://site.example/gone", "https://site.example/lost"])
        #expect(misses.map { $0["count"] as? Int } == [2, 1])
        #expect(try client.html("/-/misses").contains("https://site.example/lost"))
    }

    /// Explorer pages are made on other threads; the order of the responses stays that of the requests.
    @Test func answersOfOneConnectionStayInOrder() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        let paths = ["/style.css", "/-/api/archives", "/", "/-/health", "/-/api/misses", "/style.css"]
        let response = try server.exchange(
            paths.enumerated().map { number, path in
                let last = number == paths.count - 1 ? "Connection: close\r\n" : ""
                return "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(last)\r\n"
            }.joined())
        let marks = ["teal", "\"archives\"", "Welcome", "ok\n", "\"misses\"", "teal"]
        var rest = response[...]
        for mark in marks {
            let found = try #require(rest.firstRange(of: mark), "\(mark)")
            rest = rest[found.upperBound...]
        }
        #expect(response.components(of: "HTTP/1.1 200 OK") == paths.count)
    }

    /// Clients that leave before their answer is made do no harm.
    @Test func clientsThatLeave() throws {
        let sample = try ReplaySample()
        let server = try TestServer([sample.path])
        for _ in 0..<50 {
            let client = try RawClient(port: server.port)
            client.send("GET /-/space HTTP/1.1\r\nHost: localhost\r\n\r\n")
        }
        let response = try server.exchange("GET /-/api/space HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
}

extension String {
    fileprivate func components(of mark: String) -> Int { ranges(of: mark).count }
}
