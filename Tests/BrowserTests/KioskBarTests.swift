// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveKiosk

extension BrowserTests {
    @Suite(.serialized) struct KioskBarTests {
        private static let origin = "https://bar.example"

        private static let pages = [
            "": """
            <title>Start</title><link rel=alternate hreflang=de href=/de><p><input id=field><a id=long href=/long>Long</a>
            """,
            "long": "<title>Long</title><p style='height:4000px'>Top<p id=last>Last line",
            "de": "<html lang=de><title>Deutsch</title><p>Text",
            "ar": "<html lang=ar dir=rtl><title>Arabic</title><p>نص",
            "map":
                "<title>Map</title><style>*{margin:0}div{height:25vh}</style><div>A</div><div>B</div><div>C</div><div id=end>D</div>",
            "empty": "",
            "film": "<title>Film</title><body><video controls style='width:300px;height:200px'></video>",
            "lightbox": """
            <title>Lightbox</title><style>dialog{inset:0;width:100vw;height:100vh;max-width:none;max-height:none}</style>
            <body><template shadowrootmode=open><dialog><slot></slot></dialog><p style="height:4000px">Text</template>
            <iframe srcdoc="<body>Frame" style="position:fixed;inset:0;width:100%;height:100%"></iframe>
            <script>
            const dialog = document.body.shadowRoot.querySelector('dialog')
            const bar = () => document.querySelector('[popover]') ?? dialog.querySelector('[popover]')
            dialog.showModal()
            </script>
            """,
            "worker": """
            <title>Worker</title><p>Text<script>navigator.serviceWorker.register('/' + location.search.slice(1))</script>
            """,
            "again": """
            <title>Worker</title><script>
            const register = () => navigator.serviceWorker.register('/again.js').catch(() => {})
            register()
            addEventListener('beforeunload', () => {
              for (let count = 0; count < 30; count++) register()
              for (const end = performance.now() + 900; performance.now() < end;);
            })
            </script>
            """,
            "fields": """
            <title>Fields</title><style>body{margin:0}</style><script>
            const first = {}, last = {}
            const note = (name, event) => setTimeout(() => {
              last[name] = event.defaultPrevented
              first[name] ??= event.defaultPrevented
            })
            </script>
            <div id=light>\(form("light"))</div>
            <div id=open><template shadowrootmode=open>\(form("open"))</template></div>
            <div id=closed><template shadowrootmode=closed>\(form("closed"))</template></div>
            <input id=movable required style="position:absolute;width:1px" oninvalid="note('placed', event)">
            <div id=placed><template shadowrootmode=closed><form><img hidden src=data:, onerror="window.target = this.parentNode">\
            <button style="display:block;width:100%;height:50px">Send</button></form></template></div>
            <div id=moved><template shadowrootmode=closed>
            <div><template shadowrootmode=closed><button style="width:100%;height:50px">Other</button></template></div>
            <div><template shadowrootmode=closed>\(form("moved"))</template></div></template></div>
            <div id=script></div><x-field tabindex=0 oninvalid="note('internals', event)">Field</x-field><script>
            script.attachShadow({ mode: 'closed' }).innerHTML = `\(form("script"))`
            let internals
            customElements.define('x-field', class extends HTMLElement {
              static formAssociated = true
              constructor() {
                super()
                internals = this.attachInternals()
              }
            })
            internals.setValidity({ customError: true }, 'x'.repeat(9000))
            const native = view => ['Input', 'TextArea', 'Select', 'Button', 'FieldSet', 'Output', 'Object', 'Form']
              .map(name => view[`HTML${name}Element`]).concat(view.ElementInternals)
              .filter(({ prototype }) => prototype.reportValidity.toString().includes('native')).map(({ name }) => name).join()
            </script>
            """,
            "written": """
            <title>Written</title><body><script>
            let count = 0
            const write = () => {
              document.open()
              document.write(`<title>Written ${count++}</title><button id=next>Next</button>`)
              document.close()
              document.querySelector('#next').onclick = write
            }
            onload = write
            </script>
            """,
        ]

        /// A form whose button takes all its room.
        private static func form(_ name: String) -> String {
            """
            <form><input required style="position:absolute;width:1px" oninvalid="note('\(name)', event)">\
            <button style="display:block;width:100%;height:50px">Send</button></form>
            """
        }

        private static let strictPolicy =
            "default-src 'none'; require-trusted-types-for 'script'; sandbox allow-scripts"

        /// Service workers with a promise of a response for every page.
        private static let workers = [
            "worker.js": "new Promise(() => {})",
            "answering.js":
                "new Response('<!doctype html><title>Answered</title>', { headers: { 'Content-Type': 'text/html' } })",
            "again.js": "fetch('/again')",
        ]

        private static func worker(_ response: String) -> String {
            """
            addEventListener('install', () => skipWaiting())
            addEventListener('activate', event => event.waitUntil(clients.claim()))
            addEventListener('fetch', event => {
              if (event.request.mode === 'navigate') event.respondWith(\(response))
            })
            """
        }

        private func run(_ change: (inout Kiosk.Options) -> Void = { _ in }) throws -> (RunningKiosk, KioskBar) {
            let folder = try TemporaryFolder()
            let writer = try ArchiveWriter(creating: folder.path("bar.webarc"))
            func add(_ name: String, _ html: String, _ fields: [(String, String)] = []) throws {
                let page = "<!doctype html><meta charset=utf-8><link rel=icon href=data:,>" + html
                try writer.add(
                    ArchiveRequest(url: "\(Self.origin)/\(name)"),
                    response: ArchiveResponse(
                        headers: HeaderFields(
                            [("Content-Type", "text/html; charset=utf-8")].map { HeaderField(name: $0, value: $1) }
                                + fields.map { HeaderField(name: $0.0, value: $0.1) })),
                    body: writer.addBody(Array(page.utf8)))
            }
            for (name, html) in Self.pages { try add(name, html) }
            for (name, script) in HostilePages.all {
                try add(name, "<title>\(name)</title><body><p>Text<script>\(script)</script>")
            }
            try add("strict", "<title>strict</title><p>Text", [("Content-Security-Policy", Self.strictPolicy)])
            try writer.add(
                ArchiveRequest(url: "\(Self.origin)/xhtml"),
                response: ArchiveResponse(headers: ["Content-Type": "application/xhtml+xml"]),
                body: writer.addBody(
                    Array(
                        "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>X</title></head><body>Text</body></html>"
                            .utf8)))
            for (name, response) in Self.workers {
                try writer.add(
                    ArchiveRequest(url: "\(Self.origin)/\(name)"),
                    response: ArchiveResponse(headers: ["Content-Type": "text/javascript"]),
                    body: writer.addBody(Array(Self.worker(response).utf8)))
            }
            try writer.setMetadata("mainPage", to: "\(Self.origin)/")
            try writer.commit()
            let running = try RunningKiosk(folder.path("bar.webarc"), title: "Start", in: folder) {
                $0.hasBar = true
                change(&$0)
            }
            return (running, KioskBar(page: running.page))
        }

        private func go(_ page: TestPage, to name: String, title: String) throws {
            try page.command("Page.navigate", ["url": .string("\(Self.origin)/\(name)")])
            page.wait(for: "document.title === '\(title)' && document.readyState === 'complete'")
        }

        @Test func buttonsDoWhatTheySay() throws {
            let (running, bar) = try run()
            let page = running.page
            page.wait("the bar is there") { try bar.place(of: "home") != nil }
            // WCAG 2.2, 2.5.5 requires 44 px.
            for action in ["back", "home", "languages", "smaller", "larger", "keyboard", "fold"] {
                let place = try #require(try bar.place(of: action), "\(action)")
                #expect(place[2] >= 48 && place[3] >= 48, "\(action): \(place)")
            }
            try page.click("#long")
            page.wait(for: "document.title === 'Long'")
            bar.press("back", until: "document.title === 'Start'")
            try go(page, to: "long", title: "Long")
            bar.press("home", until: "document.title === 'Start'")
            bar.press("larger", until: "getComputedStyle(document.documentElement).zoom > 1")
            let size = try #require(try bar.place(of: "home"))
            #expect(size[3] >= 48 && size[3] < 70)
            let zoom = try page.evaluate("getComputedStyle(document.documentElement).zoom")
            try go(page, to: "long", title: "Long")
            page.wait("the zoom stays") { try page.evaluate("getComputedStyle(document.documentElement).zoom") == zoom }
            bar.press("home", until: "document.title === 'Start'")
            page.wait("the languages are there") {
                if try bar.place(of: "go") != nil { return true }
                _ = try bar.press("languages")
                return false
            }
            bar.press("go", until: "document.title === 'Deutsch'")
            page.wait("the bar speaks German") { try bar.place("aria-label", "Zurück") != nil }
            try page.keepScreenshot("kiosk-bar")
            try running.endInside()
        }

        @Test func survivesHostilePages() throws {
            let (running, bar) = try run()
            let page = running.page
            for attack in HostilePages.attacks.keys.sorted() + ["strict", "empty", "xhtml"] {
                try page.command("Page.navigate", ["url": .string("\(Self.origin)/\(attack)")])
                page.wait(for: "location.pathname === '/\(attack)' && document.readyState === 'complete'")
                if attack == "rewrites" || attack.hasPrefix("deafens") {
                    page.wait(for: "document.body.textContent.trim() === 'anew'")
                }
                bar.press("home", until: "document.title === 'Start'")
            }
            try running.end()
        }

        /// One keeps all pages away, one gives its own for each, and one is registered again while its page is left.
        @Test(arguments: ["worker?worker.js", "worker?answering.js", "again"])
        func homeIsReachedInSpiteOfAServiceWorker(_ name: String) throws {
            let (running, bar) = try run()
            let page = running.page
            try go(page, to: name, title: "Worker")
            page.wait(for: "navigator.serviceWorker.controller")
            bar.press("home", until: "document.title === 'Start'")
            if name != "again" {
                page.wait("the worker has gone") {
                    try page.evaluate("navigator.serviceWorker.getRegistrations().then(all => all.length)") == 0
                }
            }
            try running.end()
        }

        /// Going back leaves the worker in place.
        @Test func aPageThatDoesNotArriveGivesANewBrowser() throws {
            let (running, bar) = try run()
            let page = running.page
            try go(page, to: "worker?worker.js", title: "Worker")
            page.wait(for: "navigator.serviceWorker.controller")
            let former = running.kiosk.control
            #expect(try bar.press("back"))
            #expect(waits { running.kiosk.control !== former && running.kiosk.control != nil })
            page.wait(for: "document.title === 'Start'")
            #expect(running.warnings.all.contains { $0.contains("keeps a visitor from leaving") })
            try running.end()
        }

        /// Bubbles with messages cover the bar, and no script sees that. A field has none if its event was cancelled.
        @Test func messagesOfFieldsAreNotShown() throws {
            let (running, _) = try run()
            let page = running.page
            try go(page, to: "fields", title: "Fields")
            for tree in ["light", "open", "script", "closed", "moved"] {
                page.wait("the message in the tree '\(tree)' is not shown") {
                    // The focus moves on from another root, which is within the same one.
                    if tree == "moved" { try page.click("#moved", at: 0.25) }
                    try page.click("#\(tree)", at: tree == "moved" ? 0.75 : 0.5)
                    return try page.evaluate("last['\(tree)'] ?? false").isTrue
                }
                // The browser's parser made a root that no script sees before its field has the focus.
                if !["closed", "moved"].contains(tree) {
                    #expect(try page.evaluate("first['\(tree)']") == true, "\(tree)")
                }
                if tree == "light" { page.wait(for: "document.activeElement.matches('#light input')") }
            }
            // The focus comes into the root with the field, and no event shows it.
            page.wait(for: "window.target")
            _ = try page.evaluate("movable.focus(), target.moveBefore(movable, target.firstChild)")
            page.wait("the message of a moved field is not shown") {
                try page.click("#placed")
                return try page.evaluate("last.placed ?? false").isTrue
            }
            _ = try page.evaluate("internals.reportValidity()")
            page.wait(for: "first.internals")
            #expect(try page.text("native(window)") == "")
            #expect(
                try page.text("native(document.body.appendChild(document.createElement('iframe')).contentWindow)") == ""
            )
            try running.end()
        }

        /// A page neither renews itself nor the bar between the two ends of a press without the press having its effect.
        @Test func pressesOnHostilePages() throws {
            let (running, bar) = try run()
            let page = running.page
            try go(page, to: "reloads", title: "reloads")
            page.wait("a press on Home that meets the bar has its effect") {
                if try page.text("document.title") != "Start" { _ = try bar.hold("home") }
                return try page.text("document.title") == "Start"
            }
            page.wait("Home is there") { try bar.release("home") }
            try go(page, to: "translates", title: "translates")
            page.wait("the zoom is there") { try bar.hold("larger") }
            page.wait(for: "document.documentElement.lang === 'de'")
            page.wait("the zoom is there in German") {
                try bar.place("aria-label", "Zurück") != nil && bar.release("larger")
            }
            page.wait(for: "getComputedStyle(document.documentElement).zoom > 1")
            try running.end()
        }

        private enum Outcome: CaseIterable { case repaired, left, either }

        /// All pages of an outcome one after the other, in one kiosk.
        @Test(arguments: Outcome.allCases) private func barComesBackOrThePageIsLeft(_ expected: Outcome) throws {
            let (running, bar) = try run()
            let attacks =
                switch expected {
                case .repaired: HostilePages.repaired
                case .left: HostilePages.winning
                case .either: HostilePages.disputed
                }
            for attack in attacks.keys.sorted() { try attackBar(attack, running, bar, expected) }
            try running.end()
        }

        private func attackBar(_ attack: String, _ running: RunningKiosk, _ bar: KioskBar, _ expected: Outcome) throws {
            let page = running.page
            let before = running.warnings.all.count
            var isLeft: Bool { running.warnings.all.dropFirst(before).contains { $0.contains("removed the bar") } }
            try page.command("Page.navigate", ["url": .string("\(Self.origin)/\(attack)")])
            page.wait("\(attack) has begun") {
                try page.evaluate("location.pathname === '/\(attack)' && document.readyState === 'complete'").isTrue
                    || isLeft
            }
            // A page may show it for a moment, measured by the page's clock, since the page may end every timer.
            var since: (place: String, time: Double)?
            page.wait("\(attack): the bar stays in sight") {
                let answer = try page.text("location.pathname + ' ' + performance.now()") ?? ""
                let parts = answer.split(separator: " ").map(String.init)
                guard parts.count == 2, let now = Double(parts[1]) else { return false }
                if since?.place != parts[0] { since = nil }
                guard try bar.isInSight() else {
                    since = nil
                    return false
                }
                let start = since?.time ?? now
                since = (parts[0], start)
                guard now - start > 400 else { return false }
                return switch expected {
                case .repaired: parts[0] == "/\(attack)"
                case .left: parts[0] != "/\(attack)"
                case .either: true
                }
            }
            if expected != .either { #expect(isLeft == (expected == .left), "\(attack)") }
            bar.press("home", until: "document.title === 'Start'")
        }

        /// A page neither sees into the bar nor triggers its actions.
        @Test func pagesCannotAsk() throws {
            let (running, bar) = try run()
            let page = running.page
            page.wait("the bar is there") { try bar.place(of: "home") != nil }
            try go(page, to: "long", title: "Long")
            page.wait("the bar is there") { try bar.place(of: "home") != nil }
            #expect(try page.text("typeof webarcReport + typeof webarcZoom") == "undefinedundefined")
            #expect(try page.evaluate("document.querySelector('[popover]').shadowRoot") == .null)
            let place = try #require(try bar.place(of: "home"))
            // A script's click is no visitor's doing.
            _ = try page.evaluate(
                """
                (() => { const place = { bubbles: true, composed: true, clientX: \(place[0] + 9), clientY: \(place[1] + 9) }
                for (const target of [document.querySelector('[popover]'), document.body]) {
                  target.dispatchEvent(new MouseEvent('click', place)); target.click() } })()
                """)
            page.wait(for: "document.title === 'Long'")
            _ = try page.evaluate("new Promise(done => setTimeout(done, 300))")
            #expect(try page.text("document.title") == "Long")
            try running.end()
        }

        @Test func pageHasRoom() throws {
            let (running, bar) = try run()
            let page = running.page
            try go(page, to: "long", title: "Long")
            page.wait("the bar is there") { try bar.place(of: "home") != nil }
            page.wait("the last line stands above the bar") {
                let bottom = try page.evaluate(
                    "scrollTo(0, 1e6), document.getElementById('last').getBoundingClientRect().bottom"
                ).number
                let top = try bar.place("role", "toolbar")?[1]
                return try #require(bottom) <= #require(top)
            }
            // A page that fills the window is covered in one corner only, until a visitor opens the bar.
            try go(page, to: "map", title: "Map")
            page.wait("the bar is folded") {
                guard let fold = try bar.place(of: "fold"), try bar.place(of: "home") == nil else { return false }
                return fold[2] >= 48 && fold[2] < 120
            }
            bar.press("fold", until: "true")
            page.wait("the bar is unfolded") { try bar.place(of: "home") != nil }
            // Nothing of it is printed, and the page has no gap for it.
            try page.command("Emulation.setEmulatedMedia", ["media": "print"])
            page.wait("the bar is not printed") { try bar.place(of: "home") == nil }
            try running.end()
        }

        /// The browser keeps presses on its own controls of a film from all listeners, and a page may write itself anew with each press.
        @Test func pagesThatAreNotLeft() throws {
            let (running, bar) = try run()
            let page = running.page
            for (name, title, button) in [("film", "Film", "video"), ("written", "Written 0", "#next")] {
                try go(page, to: name, title: title)
                page.wait("the bar is there") { try bar.place(of: "home") != nil }
                for number in 1...5 {
                    try page.click(button)
                    if name == "written" { page.wait(for: "document.title === 'Written \(number)'") }
                }
                // A look takes attributes away from the bar.
                for _ in 1...5 {
                    _ = try page.evaluate("document.querySelector('[popover]').title = 'x'; 0")
                    page.wait(for: "document.querySelector('[popover]')?.title === ''")
                }
                #expect(try page.text("location.pathname") == "/\(name)")
            }
            // A modal dialog with a frame, below which the bar would be dead.
            try go(page, to: "lightbox", title: "Lightbox")
            page.wait(for: "bar().parentNode === dialog")
            for _ in 1...5 {
                _ = try page.evaluate("bar().title = 'x'; 0")
                page.wait(for: "bar().title === ''")
            }
            _ = try page.evaluate("dialog.close(); 0")
            page.wait(for: "bar()?.parentNode === document.documentElement")
            #expect(try bar.isInSight())
            _ = try page.evaluate("dialog.showModal(); 0")
            bar.press("home", until: "document.title === 'Start'")
            #expect(running.warnings.all.allSatisfy { !$0.contains("kept the bar away") })
            try running.end()
        }

        /// The browser tells the URLs of all pages when it is asked for the one before.
        @Test func backToALongURL() throws {
            let (running, bar) = try run()
            let page = running.page
            _ = try page.evaluate(
                "history.replaceState(null, '', '/#' + '\\\\'.repeat((2 << 20) - origin.length - 2)); 0")
            try page.click("#long")
            page.wait(for: "document.title === 'Long'")
            bar.press("back", until: "document.title === 'Start'")
            try running.end()
        }

        @Test func runsFromRightToLeft() throws {
            let (running, bar) = try run()
            try go(running.page, to: "ar", title: "Arabic")
            running.page.wait("Back is on the right, and the bar in Arabic") {
                guard let back = try bar.place("aria-label", "رجوع"), let home = try bar.place(of: "home"),
                    let fold = try bar.place(of: "fold")
                else { return false }
                return back[0] > home[0] && home[0] > fold[0]
            }
            try running.page.keepScreenshot("kiosk-bar-arabic")
            try running.end()
        }

        @Test func keyboardOnTheScreenTypes() throws {
            let (running, bar) = try run()
            let page = running.page
            page.wait("the bar is there") { try bar.place(of: "keyboard") != nil }
            try page.click("#field")
            page.wait("the keyboard is there") {
                if try bar.place(of: "space") != nil { return true }
                _ = try bar.press("keyboard")
                return false
            }
            // As fast as a visitor can, and faster: no key is lost, none comes twice, and none before another.
            for letter in "harbour" { #expect(try bar.type(String(letter))) }
            #expect(try bar.press("space"))
            page.wait("the field has what was typed") {
                let value = try page.text("field.value") ?? ""
                if value != "harbour " { throw TestPage.Failure(description: "'\(value)'") }
                return true
            }
            _ = try page.evaluate("field.value = 'h '; field.setSelectionRange(2, 2)")
            #expect(try bar.press("shift"))
            #expect(try bar.type("q"))
            page.wait(for: "field.value === 'h Q'")
            #expect(try bar.press("erase"))
            page.wait(for: "field.value === 'h '")
            #expect(try page.text("document.activeElement.id") == "field")
            try page.keepScreenshot("kiosk-keyboard")
            try running.end()
        }

        @Test func keysReachTheBar() throws {
            let (running, bar) = try run()
            let page = running.page
            try go(page, to: "long", title: "Long")
            page.wait("the bar is there") { try bar.place(of: "home") != nil }
            page.wait("Tab leads to the bar") {
                try bar.pressKey("Tab", code: 9)
                return try page.evaluate("document.activeElement === document.querySelector('[popover]')").isTrue
            }
            try bar.pressKey("Tab", code: 9)
            try bar.pressKey("Enter", code: 13)
            page.wait(for: "document.title === 'Start'")
            try running.end()
        }
    }
}
