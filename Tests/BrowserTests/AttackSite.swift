// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import WebArchive
import WebArchiveBrowser

@testable import WebArchiveKiosk

/// A site whose visitors try to get out of the kiosk.
struct AttackSite {
    static let origin = "https://attack.example"
    static let other = "https://other.example"

    let folder: TemporaryFolder
    let path: FilePath

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("attack.webarc")
        let writer = try ArchiveWriter(creating: path)
        func add(_ url: String, _ type: String, _ text: String, cache: String = "no-store") throws {
            try writer.add(
                ArchiveRequest(url: url),
                response: ArchiveResponse(headers: ["Content-Type": type, "Cache-Control": cache]),
                body: writer.addBody(Array(text.utf8)))
        }
        try add("\(Self.origin)/", "text/html", Self.page)
        try add("\(Self.origin)/frame.html", "text/html", "<!doctype html><title>Frame</title><input autofocus>")
        try add("\(Self.origin)/document.pdf", "application/pdf", Self.document)
        try add(
            "\(Self.origin)/shared.js", "text/javascript",
            "onconnect = event => event.ports[0].postMessage(n++)\nlet n = 0\n")
        try add(
            "\(Self.origin)/nested.js", "text/javascript",
            "const inner = new Worker('/worker.js')\ninner.onmessage = event => postMessage('nested ' + event.data)\n")
        try add("\(Self.origin)/worker.js", "text/javascript", "globalThis.postMessage?.('works')\n")
        try add("\(Self.origin)/service.js", "text/javascript", "addEventListener('fetch', () => {})\n")
        try add("\(Self.origin)/taken.txt", "text/plain", Self.taken)
        try writer.add(
            ArchiveRequest(url: "\(Self.origin)/attachment"),
            response: ArchiveResponse(headers: [
                "Content-Type": "application/octet-stream", "Cache-Control": "no-store",
                "Content-Disposition": "attachment; filename=attachment.bin",
            ]), body: writer.addBody(Array(Self.taken.utf8)))
        try add("\(Self.origin)/cached.txt", "text/plain", "cached", cache: "max-age=86400")
        try add("\(Self.other)/store.html", "text/html", Self.store)
        try add("\(Self.other)/store.html?loop", "text/html", Self.store)
        try writer.setMetadata("mainPage", to: "\(Self.origin)/")
        try writer.commit()
    }

    /// The contents of the files that visitors may not take with them.
    static let taken = String(repeating: "not to be taken away\n", count: 100)

    private static let page = """
        <!doctype html><title>Attack</title><link rel="icon" href="data:,">
        <input id="text" value="the visitor's text" autofocus><button id="close" onclick="window.close()">Close</button>
        <script>
        addEventListener('keydown', event => window.lastKey = event.key)
        const frame = url => new Promise(resolve => {
          const frame = document.createElement('iframe')
          addEventListener('message', event => resolve(event.data))
          frame.src = url
          document.body.append(frame)
        })
        const shared = () => new Promise(resolve => {
          new SharedWorker('/shared.js').port.onmessage = event => resolve(event.data)
        })
        const dedicated = url => new Promise(resolve => {
          new Worker(url).onmessage = event => resolve(event.data)
        })
        </script>

        """

    /// Reports the storage that a frame of another site finds, and leaves something there.
    private static let store = """
        <!doctype html><script>
        const found = [localStorage.visitor ?? '', document.cookie].join('')
        localStorage.visitor = 'was here'
        document.cookie = 'visitor=here; SameSite=None; Secure'
        parent.postMessage(found, '*')
        if (location.search === '?loop') setTimeout(() => { for (;;); })
        </script>

        """

    /// A PDF document of one page. The viewer repairs the table of places that it lacks.
    private static let document = """
        %PDF-1.4
        1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
        2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
        3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]>>endobj
        trailer<</Root 1 0 R>>
        %%EOF

        """
}

extension RunningKiosk {
    /// Starts a kiosk of the site on a screen, which has its focus.
    static func attacked(
        on screen: Screen, change: (inout Kiosk.Options) -> Void = { _ in }
    ) throws -> RunningKiosk {
        let site = try AttackSite()
        return try RunningKiosk(
            site.path, title: "Attack", in: site.folder, browser: screen.browser(in: site.folder)
        ) {
            $0.display = .fullScreen
            $0.browserOptions = []
            change(&$0)
        }
    }
}
