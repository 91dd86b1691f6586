// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveServer

extension BrowserTests {
    /// Service workers whose scope is the whole origin of a site that is served directly.
    @Suite(.serialized) struct ServiceWorkerTests {
        private static let worker = """
            addEventListener("install", () => skipWaiting())
            addEventListener("activate", event => event.waitUntil(clients.claim()))
            addEventListener("fetch", event => {
              if (event.request.mode !== "navigate") return
              event.respondWith(fetch(event.request).then(async found => {
                const path = new URL(event.request.url).pathname
                if (!path.startsWith("/-")) return page()
                seen.push(found.type + " " + (await found.clone().text()).length)
                return found
              }))
            })
            const seen = []
            addEventListener("message", async event => {
              const tried = await fetch("/-/api/archives").then(found => String(found.status), () => "refused")
              event.source.postMessage(seen.join() + ", " + tried)
            })
            const page = () => new Response("<!doctype html><title>From the worker</title>", { headers: { "Content-Type": "text/html" } })
            """

        private func addSite(_ folder: TemporaryFolder, title: String, worker: String?) throws -> FilePath {
            let path = folder.path("site.webarc")
            try? FileManager.default.removeItem(atPath: path.string)
            let writer = try ArchiveWriter(creating: path)
            let script = worker == nil ? "" : "<script>navigator.serviceWorker.register('/worker.js')</script>"
            let page = "<!doctype html><title>\(title)</title>\(script)"
            try ReplaySample.add("https://site.example/", "text/html", Array(page.utf8), writer)
            if let worker {
                try ReplaySample.add("https://site.example/worker.js", "text/javascript", Array(worker.utf8), writer)
            }
            try writer.setMetadata("mainPage", to: "https://site.example/")
            try writer.commit()
            return path
        }

        private static let isControlled = "navigator.serviceWorker.controller?.state === 'activated'"

        /// The worker gets every navigation of its origin; the explorer has another origin.
        @Test func aWorkerReadsNothingOfTheExplorer() throws {
            let folder = try TemporaryFolder()
            let server = try BrowserTests.server(addSite(folder, title: "Site", worker: Self.worker))
            defer { server.stop(within: .zero) }
            let origin = "http://127.0.0.1:\(server.port)"
            let browser = try TestBrowser("\(origin)/", of: server, authority: nil)
            let page = browser.page
            page.wait(for: Self.isControlled)
            try page.command("Page.navigate", ["url": .string("\(origin)/-/entries")])
            let explorer = "http://explorer.localhost:\(server.port)/-/entries"
            // Its sandbox runs no timer, which a wait for a condition of the page would need.
            page.wait("the explorer") {
                try page.text("document.querySelector('nav') ? location.href : ''") == explorer
            }
            #expect(try page.text("document.body.innerText")?.contains("https://site.example/worker.js") == true)
            try page.command("Page.navigate", ["url": .string("\(origin)/")])
            page.wait(for: Self.isControlled)
            let asked = """
                new Promise(resolve => {
                  navigator.serviceWorker.onmessage = event => resolve(event.data)
                  navigator.serviceWorker.controller.postMessage("what was seen")
                })
                """
            let seen = try page.text(asked)
            #expect(seen == "opaqueredirect 0, 403")
            try browser.endInside()
        }

        /// A browser keeps the worker of the site that was served before at the same address.
        @Test func aWorkerOfAnEarlierArchiveLeaves() throws {
            let folder = try TemporaryFolder()
            let server = try BrowserTests.server(addSite(folder, title: "Earlier", worker: Self.worker))
            defer { server.stop(within: .zero) }
            let origin = "http://127.0.0.1:\(server.port)/"
            let browser = try TestBrowser(origin, of: server, authority: nil)
            let page = browser.page
            page.wait(for: Self.isControlled)
            try page.command("Page.navigate", ["url": .string(origin)])
            page.wait(for: "document.title === 'From the worker'")
            _ = try addSite(folder, title: "Later", worker: nil)
            #expect(server.service.library?.reload().refused.isEmpty == true)
            try page.command("Page.navigate", ["url": .string(origin)])
            page.wait(for: "document.title === 'Later'")
            #expect(try page.text("navigator.serviceWorker.getRegistrations().then(all => String(all.length))") == "0")
            try browser.endInside()
        }
    }
}
