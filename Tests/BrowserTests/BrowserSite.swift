// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

/// A site with something of everything that browsers load, in an archive of its own.
struct BrowserSite {
    static let origin = "https://site.example"

    let folder: TemporaryFolder
    let path: FilePath

    init(title: String = "Harbour", name: String = "site.webarc", in folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder()
        path = self.folder.path(name)
        let writer = try ArchiveWriter(creating: path)
        let font = try Data(contentsOf: URL(fileURLWithPath: Self.fontFile))
        let origin = Self.origin
        try Self.add("\(origin)/", "text/html", Array(Self.page(title).utf8), writer)
        try Self.add("\(origin)/second.html", "text/html", Array(Self.second.utf8), writer)
        try Self.add("\(origin)/style.css", "text/css", Array(Self.style.utf8), writer)
        try Self.add("\(origin)/app.js", "text/javascript", Array(Self.script.utf8), writer)
        try Self.add("\(origin)/module.js", "text/javascript", Array(Self.module.utf8), writer)
        try Self.add("\(origin)/part.js", "text/javascript", Array("export const part = 'imported'\n".utf8), writer)
        try Self.add("\(origin)/worker.js", "text/javascript", Array(Self.worker.utf8), writer)
        try Self.add("\(origin)/data.json", "application/json", Array(#"{"ships": 42}"#.utf8), writer)
        try Self.add("\(origin)/font.ttf", "font/ttf", Array(font), writer)
        try Self.add("\(origin)/film.webm", "video/webm", Film.bytes, writer)
        try writer.add(
            ArchiveRequest(url: "\(origin)/old"),
            response: ArchiveResponse(
                status: 301, headers: ["Location": "/second.html"], redirectTarget: "\(origin)/second.html"))
        try writer.add(
            ArchiveRequest(url: "https://cdn.example/open.json"),
            response: ArchiveResponse(headers: ["Content-Type": "application/json", "Access-Control-Allow-Origin": "*"]
            ),
            body: writer.addBody(Array(#"{"from": "cdn"}"#.utf8)))
        try writer.setMetadata("mainPage", to: "\(origin)/")
        try writer.commit()
    }

    private static func add(_ url: String, _ type: String, _ bytes: [UInt8], _ writer: ArchiveWriter) throws {
        try writer.add(
            ArchiveRequest(url: url), response: ArchiveResponse(headers: ["Content-Type": type]),
            body: writer.addBody(bytes))
    }

    private static let fontFile: String = {
        let files = [
            "/usr/share/fonts/truetype/dejavu/DejaVuSerif-Bold.ttf", "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
            "/System/Library/Fonts/Supplemental/Georgia.ttf",
        ]
        return files.first(where: FileManager.default.fileExists(atPath:)) ?? files[0]
    }()

    private static func page(_ title: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <title>\(title)</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/style.css">
        <h1>\(title)</h1>
        <p id="ships">Ships: <output></output></p>
        <p><a id="second" href="/second.html">The second page</a> <a id="old" href="/old">An old address</a>
        <a id="away" href="https://missing.example/page">Another site</a>
        <a id="window" href="/second.html" target="_blank">A window</a></p>
        <p><input type="file" id="file"><video id="film" src="/film.webm" preload="metadata" muted width="320"></video>
        <script src="/app.js"></script>
        <script type="module" src="/module.js"></script>

        """
    }

    private static let second = "<!doctype html><title>Second</title><link rel=icon href=data:,><h1>Second page</h1>\n"

    private static let style = """
        @font-face { font-family: Museum; src: url(/font.ttf) }
        h1 { font-family: Museum; color: rgb(0, 80, 120) }
        body { background: rgb(240, 248, 250); margin: 3rem }

        """

    /// The findings of the page, for tests; the page sends them to the server when all are complete.
    private static let script = """
        const data = fetch('/data.json').then(response => response.json()).then(({ ships }) => {
          document.querySelector('output').textContent = ships
          return ships
        })
        const font = document.fonts.load('20px Museum').then(faces => faces.length === 1 && faces[0].status)
        const worker = navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)
          .then(() => new Promise(resolve => {
            if (navigator.serviceWorker.controller) return resolve()
            navigator.serviceWorker.addEventListener('controllerchange', resolve)
          })).then(() => fetch('/from-worker')).then(response => response.text())
        const film = new Promise((resolve, reject) => {
          const video = document.getElementById('film')
          video.addEventListener('loadedmetadata', () => resolve(video.duration))
          video.addEventListener('error', () => reject(video.error))
          if (video.readyState > 0) resolve(video.duration)
        })
        const module = new Promise(resolve => addEventListener('part', event => resolve(event.detail)))
        const style = new Promise(resolve => addEventListener('load', () =>
          resolve(getComputedStyle(document.querySelector('h1')).color)))
        async function results() {
          return { data: await data, film: await film, font: await font, module: await module, style: await style,
            worker: await worker }
        }
        // At the time of 15 seconds, the color that is shown then.
        async function seek() {
          const video = document.getElementById('film')
          // The event "seeked" may come before the frame can be drawn.
          const shown = new Promise(resolve => {
            const look = (_, frame) => frame.mediaTime > 14 ? resolve() : video.requestVideoFrameCallback(look)
            video.requestVideoFrameCallback(look)
          })
          video.currentTime = 15
          await shown
          const canvas = new OffscreenCanvas(1, 1).getContext('2d')
          canvas.drawImage(video, 0, 0, 1, 1)
          const [red, , blue] = canvas.getImageData(0, 0, 1, 1).data
          return blue > 200 && red < 60 ? 'blue' : red > 200 && blue < 60 ? 'red' : 'neither'
        }
        results().then(found => fetch('/report?' + encodeURIComponent(JSON.stringify(found))))

        """

    private static let module = """
        import { part } from './part.js'
        dispatchEvent(new CustomEvent('part', { detail: part }))

        """

    private static let worker = """
        addEventListener('install', () => skipWaiting())
        addEventListener('activate', event => event.waitUntil(clients.claim()))
        addEventListener('fetch', event => {
          if (new URL(event.request.url).pathname === '/from-worker') event.respondWith(new Response('worked'))
        })

        """
}
