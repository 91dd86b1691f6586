// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveBrowser

@testable import WebArchiveKiosk
@testable import WebArchiveServer

extension BrowserTests {
    /// Full screen, with a keyboard: with a window manager and without.
    @Suite(.serialized, .enabled(if: isLinux)) struct KioskLockTests {
        private func run(
            on screen: Screen, change: (inout Kiosk.Options) -> Void = { _ in }
        ) throws -> RunningKiosk { try .attacked(on: screen, change: change) }

        /// The number of pages of sites; parts of the browser's own interface are pages too.
        private func tabs(_ page: TestPage) throws -> Int? {
            try page.command("Target.getTargets")["targetInfos"]?.items.count {
                $0["type"] == "page" && $0["url"]?.text?.hasPrefix("\(AttackSite.origin)/") == true
            }
        }

        private static let keys = [
            "F12", "ctrl+shift+i", "ctrl+shift+j", "ctrl+shift+c", "shift+Escape", "ctrl+t", "ctrl+n", "ctrl+shift+n",
            "ctrl+o", "ctrl+s", "ctrl+p", "ctrl+u", "ctrl+l", "F1", "F6", "F10", "F11", "alt+Home", "alt+d", "alt+f",
            "ctrl+h", "ctrl+j", "ctrl+k", "ctrl+w", "ctrl+shift+w", "ctrl+F4", "ctrl+shift+Delete", "ctrl+shift+a",
            "ctrl+shift+b", "ctrl+shift+m", "ctrl+shift+o", "ctrl+shift+p", "ctrl+shift+t", "shift+F10", "alt+shift+i",
        ]

        @Test(arguments: [true, false]) func noOtherWindow(_ hasWindowManager: Bool) throws {
            let screen = try Screen(hasWindowManager: hasWindowManager)
            let running = try run(on: screen)
            let page = running.page
            try screen.click(500, 400)
            try screen.press(["z"])
            page.wait(for: "window.lastKey === 'z'")
            let windows = screen.windowCount
            // Nothing in the page, in a frame of another page, and in the viewer of documents.
            for preparation in [
                "0", "document.body.innerHTML += '<iframe src=/frame.html></iframe>'", "location = '/document.pdf'",
            ] {
                _ = try? page.evaluate(preparation)
                if preparation.contains("pdf") {
                    page.wait(for: "document.contentType === 'application/pdf'")
                } else if preparation.contains("frame") {
                    page.wait(for: "document.querySelector('iframe')?.contentDocument?.title === 'Frame'")
                    _ = try page.evaluate(
                        "document.querySelector('iframe').contentDocument.querySelector('input').focus()")
                }
                try screen.press(Self.keys)
                #expect(try tabs(page) == 1)
            }
            // The effects of the keys precede this one.
            try page.command("Page.navigate", ["url": .string("\(AttackSite.origin)/")])
            page.wait(for: "document.title === 'Attack' && document.readyState === 'complete'")
            try screen.press(["y"])
            page.wait(for: "window.lastKey === 'y'")
            #expect(screen.windowCount == windows)
            #expect(running.warnings.all.filter { !$0.contains("sandbox") } == [])
            if hasWindowManager { #expect(try page.evaluate("[innerWidth, innerHeight]") == [1024, 768]) }
            try running.end()
        }

        /// Beside the browser, and before it has started. The usual configuration opens a menu here, with programs in it.
        @Test(arguments: [false, true]) func theWindowManager(hasKeys: Bool) throws {
            let screen = try Screen(hasWindowManager: true, hasKeys: hasKeys)
            let windows = screen.windowCount
            if hasKeys {
                // The window manager takes clicks some time after it has begun.
                #expect(
                    waits {
                        try? screen.click(500, 400, button: 3)
                        return screen.windowCount > windows
                    })
            } else {
                try screen.click(500, 400, button: 3)
                try screen.press(["alt+space", "super+e", "ctrl+alt+Right", "alt+Tab"])
                try screen.click(20, 20, button: 2)
                // A window of our own comes after all that these would have opened.
                let own = try screen.openWindow()
                #expect(waits { screen.windowCount > windows })
                #expect(screen.windowCount == windows + 1)
                withExtendedLifetime(own) {}
            }
        }

        /// By a script, by a button, and by the window manager.
        @Test func closing() throws {
            let screen = try Screen(hasWindowManager: true, hasKeys: true)
            let running = try run(on: screen)
            let page = running.page
            let windows = screen.windowCount
            for attempt in 1...3 {
                let former = running.kiosk.control
                switch attempt {
                case 1: _ = try? page.evaluate("setTimeout(() => window.close()); 0")
                case 2: try? page.click("#close")
                default:
                    // The window manager gives the new window the focus when it likes.
                    page.wait(for: "document.hasFocus()")
                    try screen.press(["alt+F4"])
                }
                var asked = ContinuousClock.now
                #expect(
                    waits {
                        // It loses keys that come while it manages a window. The window that has lost one is still there.
                        if attempt == 3, running.kiosk.control === former, ContinuousClock.now - asked > .seconds(5),
                            (try? page.evaluate("document.hasFocus()").isTrue) == true
                        {
                            try? screen.press(["alt+F4"])
                            asked = .now
                        }
                        return running.kiosk.control !== former && running.kiosk.control != nil
                    }, "attempt \(attempt)")
                page.wait(for: "document.title === 'Attack' && document.readyState === 'complete'")
                page.wait(for: "innerWidth === 1024 && innerHeight === 768")
                // One more window, which has the whole screen: nothing else opened.
                #expect(waits { screen.windowCount == windows + attempt }, "\(screen.windowCount)")
                #expect(try tabs(page) == 1)
            }
            #expect(running.warnings.all.count { $0.contains("the window was closed") } == 3)
            try running.end()
        }

        /// Before a browser is controlled, no page keeps keys from it.
        @Test func keysWhileABrowserStarts() throws {
            let screen = try Screen(hasWindowManager: true)
            let isOver = Mutex(false)
            let visitor = BackgroundThread {
                while !isOver.withLock({ $0 }) { try screen.press(["shift+Escape"]) }
            }
            let running = try run(on: screen)
            let page = running.page
            for _ in 1...3 {
                #expect(try screen.windowTitles().contains { $0.hasPrefix("Attack") })
                #expect(try !screen.windowTitles().contains { $0.hasPrefix("Task Manager") })
                let former = running.kiosk.control
                _ = try? page.evaluate("setTimeout(() => window.close()); 0")
                #expect(waits { running.kiosk.control !== former && running.kiosk.control != nil })
                page.wait(for: "document.title === 'Attack' && document.readyState === 'complete'")
            }
            isOver.withLock { $0 = true }
            try visitor.value()
            #expect(try !screen.windowTitles().contains { $0.hasPrefix("Task Manager") })
            try running.end()
        }

        /// `document.open()` takes all listeners from a window; those of the kiosk come back.
        @Test func aPageThatIsWrittenAnew() throws {
            let screen = try Screen(hasWindowManager: true)
            let running = try run(on: screen) { $0.idle = .seconds(4) }
            let page = running.page
            let windows = screen.windowCount
            _ = try page.evaluate(
                """
                document.open(); document.write('<title>Anew</title><input id="text" autofocus>'); document.close()
                for (const type of ['keydown', 'pointerdown', 'pointermove', 'contextmenu'])
                  addEventListener(type, event => {
                    if (type === 'keydown') window.lastKey = event.key
                    event.stopImmediatePropagation()
                  }, true)
                localStorage.visitor = 'here'
                """)
            page.wait(for: "document.querySelector('#text')")
            let former = running.kiosk.control
            try screen.click(500, 400)
            try screen.press(["shift+Escape", "F7", "ctrl+f", "z"])
            page.wait(for: "window.lastKey === 'z'")
            #expect(screen.windowCount == windows)
            // It was used, and the next visitor gets another browser.
            #expect(waits { running.kiosk.control !== former && running.kiosk.control != nil })
            page.wait(for: "document.title === 'Attack' && document.readyState === 'complete'")
            #expect(try page.evaluate("localStorage.visitor ?? ''") == "")
            try running.end()
        }

        /// A page that takes all listeners away while an event is on its way, and leaves no use to be seen.
        @Test func aPageThatIsWrittenAnewAllTheTime() throws {
            let screen = try Screen(hasWindowManager: true)
            let running = try run(on: screen) { $0.idle = .seconds(4) }
            let page = running.page
            let former = running.kiosk.control
            _ = try page.evaluate("setInterval(() => document.open(), 2); 0")
            try screen.click(500, 400)
            #expect(waits { running.kiosk.control !== former && running.kiosk.control != nil })
            page.wait(for: "document.title === 'Attack' && document.readyState === 'complete'")
            try running.end()
        }

        /// The longest URL, of which each character takes two in a message.
        private static let longURL =
            "history.replaceState(null, '', '/#' + '\\\\'.repeat((2 << 20) - origin.length - 2))"

        /// A dialog would take the keys from the page.
        @Test(arguments: [
            "print()", "alert('x')", "window.said = confirm('x')", "window.said = prompt('x')",
            "\(longURL); window.said = prompt('\"'.repeat(8000), '\"'.repeat(2e6))",
        ])
        func dialogsOfScripts(_ script: String) throws {
            let screen = try Screen(hasWindowManager: true)
            let running = try run(on: screen)
            let page = running.page
            let windows = screen.windowCount
            _ = try page.evaluate("setTimeout(() => { \(script); window.isPast = true }); 0")
            page.wait(for: "window.isPast")
            try screen.press(["shift+Escape", "z"])
            page.wait(for: "window.lastKey === 'z'")
            #expect(try page.evaluate("Boolean(window.said)") == false)
            #expect(screen.windowCount == windows)
            try running.end()
        }

        /// A dialog that asks whether to leave the page.
        @Test func leavingAPageWithALongURL() throws {
            let screen = try Screen(hasWindowManager: true)
            let running = try run(on: screen)
            let page = running.page
            let former = running.kiosk.control
            _ = try page.evaluate("\(Self.longURL); onbeforeunload = event => event.preventDefault(); 0")
            try screen.click(500, 400)
            page.wait(for: "navigator.userActivation.hasBeenActive")
            _ = try? page.command("Page.navigate", ["url": .string("\(AttackSite.origin)/frame.html")])
            page.wait(for: "document.title === 'Frame'")
            #expect(running.kiosk.control === former)
            try running.end()
        }

        /// A visitor without keys has no Escape that would give the pointer back to the bar.
        @Test func pointerOfAKioskWithABar() throws {
            let screen = try Screen(hasWindowManager: true)
            let running = try run(on: screen) { $0.hasBar = true }
            let page = running.page
            _ = try page.evaluate(
                """
                window.settled = ''
                addEventListener('click', () => document.body.requestPointerLock().then(
                  () => { settled = 'locked' }, error => { settled = error.name }))
                0
                """)
            page.wait("the pointer stays free") {
                try screen.click(500, 400)
                return try page.text("settled") != ""
            }
            #expect(try page.text("settled") == "NotAllowedError")
            #expect(try page.evaluate("document.pointerLockElement") == .null)
            try running.end()
        }

        /// A window of an installed program, and those of videos.
        @Test func windowsOfOtherKinds() throws {
            let screen = try Screen(hasWindowManager: true)
            let running = try run(on: screen)
            let page = running.page
            let windows = screen.windowCount
            let found = try page.text(
                """
                [
                  typeof navigator.install, typeof window.documentPictureInPicture, typeof window.EyeDropper,
                  typeof window.BackgroundFetchManager, typeof window.IdentityCredential, typeof window.PublicKeyCredential, typeof window.DigitalCredential,
                  typeof window.PaymentRequest, document.pictureInPictureEnabled ? 'enabled' : 'undefined',
                ].join()
                """)
            #expect(found == Array(repeating: "undefined", count: 9).joined(separator: ","))
            _ = try page.evaluate(
                """
                window.settled = ''
                const video = document.createElement('video')
                addEventListener('click', () => Promise.resolve().then(() => video.requestPictureInPicture()).then(
                  () => { settled = 'shown' }, () => { settled = 'refused' }))
                0
                """)
            try screen.click(500, 400)
            page.wait(for: "settled === 'refused'")
            // A sheet that requests a security key would receive the keystrokes of the page, and of its frames.
            for frame in [
                "",
                "const navigator = document.body.appendChild(document.createElement('iframe')).contentWindow.navigator; ",
            ] {
                _ = try page.evaluate(
                    "(() => { \(frame)navigator.credentials.get({publicKey: {challenge: new Uint8Array(32)}}) })(); window.lastKey = ''; 0"
                )
                try screen.press(["z"])
                page.wait(for: "window.lastKey === 'z'")
            }
            #expect(screen.windowCount == windows)
            // The page and its bar become too small to be read.
            _ = try page.evaluate("window.turns = 0; addEventListener('wheel', () => { turns++ }); 0")
            try screen.click(500, 400)
            try screen.turnWheelWithControl()
            page.wait(for: "turns > 2")
            try screen.press(["y"])
            page.wait(for: "window.lastKey === 'y'")
            #expect(try page.evaluate("[devicePixelRatio, innerWidth]") == [1, 1024])
            try running.end()
        }

        /// The viewer of documents prints by a message, and its sheet would take the keys of the page. It handles its messages in their order.
        @Test func printingOfAnEmbeddedDocument() throws {
            let screen = try Screen(hasWindowManager: true)
            let running = try run(on: screen)
            let page = running.page
            _ = try page.evaluate(
                """
                window.replies = 0
                addEventListener('message', event => { if (event.data.type === 'getSelectedTextReply') replies++ })
                document.body.innerHTML = '<embed type=application/pdf src=/document.pdf style="width:400px;height:300px">'
                setInterval(() => {
                  for (const type of ['print', 'getSelectedText']) document.querySelector('embed').postMessage({ type }, '*')
                }, 100)
                0
                """)
            page.wait(for: "replies > 10")
            try screen.press(["z"])
            page.wait(for: "window.lastKey === 'z'")
            try running.end()
        }

        /// Workers, and workers of workers, run as elsewhere.
        @Test func workers() throws {
            let screen = try Screen(hasWindowManager: true)
            let running = try run(on: screen)
            let page = running.page
            _ = try page.evaluate(
                """
                window.isReady = false
                new OfflineAudioContext(1, 128, 44100).audioWorklet.addModule('/worker.js').then(() => { isReady = true }); 0
                """)
            page.wait(for: "isReady")
            for (url, said) in [("/worker.js", "works"), ("/nested.js", "nested works")] {
                _ = try page.evaluate("window.said = ''; dedicated('\(url)').then(text => { said = text }); 0")
                page.wait(for: "said === '\(said)'")
            }
            withExtendedLifetime(screen) {}
            try running.end()
        }

        /// A page that a visitor opens in a new window is shown in the only window, before another exists.
        @Test func newWindows() throws {
            let screen = try Screen(hasWindowManager: true)
            let running = try run(on: screen)
            let page = running.page
            let windows = screen.windowCount
            for script in [
                "window.open('/frame.html')", "window.open('/frame.html', 'name', 'popup,width=300,height=300')",
                "document.open('/frame.html', 'name', 'popup,width=300,height=300')",
                "Object.assign(document.createElement('a'), { href: '/frame.html', target: '_blank' }).click()",
                "document.body.innerHTML = '<form action=/frame.html target=_blank><button>', document.querySelector('button').click()",
                "document.body.innerHTML = '<form action=/frame.html target=x>', document.querySelector('form').submit()",
            ] {
                _ = try? page.evaluate("(() => { \(script) })()")
                page.wait(for: "document.title === 'Frame'")
                try page.command("Page.navigate", ["url": .string("\(AttackSite.origin)/")])
                page.wait(for: "document.title === 'Attack' && document.readyState === 'complete'")
            }
            #expect(screen.windowCount == windows)
            try running.end()
        }

        @Test func nothingOfTheVisitorIsLeft() throws {
            let screen = try Screen(hasWindowManager: true)
            let running = try run(on: screen) { $0.idle = .seconds(6) }
            let page = running.page
            #expect(try page.evaluate(Self.permissions) == ["denied", "denied"])
            try page.command(
                "Browser.grantPermissions",
                ["origin": .string(AttackSite.origin), "permissions": ["geolocation", "clipboardReadWrite"]])
            #expect(try page.evaluate(Self.permissions) == ["granted", "granted"])
            let worker = "navigator.serviceWorker.register('/service.js').then(() => navigator.serviceWorker.ready)"
            #expect(try page.evaluate("\(worker).then(ready => Boolean(ready.active))") == true)
            #expect(try page.evaluate(Self.workerCount) == 1)
            #expect(try page.text("frame('\(AttackSite.other)/store.html')") == "")
            let stored = try page.text("frame('\(AttackSite.other)/store.html')") ?? ""
            #expect(stored.contains("was here"), "\(stored)")
            _ = try page.evaluate(
                """
                window.name = 'was here'; localStorage.visitor = 'was here'
                fetch('/cached.txt').then(response => response.text())
                """)
            #expect(try page.evaluate("shared()") == 0)
            #expect(
                try page.evaluate(
                    "fetch('/cached.txt', { cache: 'only-if-cached', mode: 'same-origin' }).then(a => a.ok)") == true)
            _ = try page.evaluate(
                "addEventListener('paste', event => fetch('/pasted-' + event.clipboardData.getData('text/plain').length)); 0"
            )
            let former = running.kiosk.control
            try screen.press(["ctrl+a", "ctrl+c", "End", "ctrl+v"])
            page.wait("the text of the visitor is pasted") {
                running.server.service.misses.all.contains { $0.url == "\(AttackSite.origin)/pasted-18" }
            }
            #expect(waits { running.kiosk.control !== former })
            page.wait(for: "document.title === 'Attack' && document.readyState === 'complete'")
            #expect(try page.evaluate(Self.permissions) == ["denied", "denied"])
            #expect(try page.evaluate(Self.workerCount) == 0)
            #expect(try page.evaluate("[window.name, localStorage.visitor ?? '', history.length]") == ["", "", 1])
            #expect(try page.evaluate("shared()") == 0)
            #expect(
                try page.evaluate(
                    "fetch('/cached.txt', { cache: 'only-if-cached', mode: 'same-origin' }).then(a => a.ok, () => false)"
                ) == false)
            #expect(try page.text("frame('\(AttackSite.other)/store.html')") == "")
            // Last, for it is use: on a slow machine the next browser may have come before the keys have.
            page.wait("the keys reach a page, and paste nothing") {
                _ = try page.evaluate(
                    """
                    text.value = ''; text.focus()
                    globalThis.typed = new Promise(done => addEventListener('keyup', event => event.key === 'z' && done()))
                    0
                    """)
                try screen.press(["ctrl+v", "z"])
                let value = "Promise.race([typed, new Promise(done => setTimeout(done, 3000))]).then(() => text.value)"
                return try page.text(value) == "z"
            }
            try running.end()
        }

        private static let permissions = """
            Promise.all(['geolocation', 'clipboard-read'].map(
              name => navigator.permissions.query({ name }).then(status => status.state)))
            """
        private static let workerCount = "navigator.serviceWorker.getRegistrations().then(all => all.length)"
    }
}
