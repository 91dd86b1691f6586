// SPDX-License-Identifier: Apache-2.0

/// The scripts that a kiosk runs in each page. All but those of ``pageSource`` are in a world of their own that the page's scripts cannot see.
struct PageScript {
    /// The name of that world, and of the function in it that reports events.
    static let world = "webarc"
    static let binding = "webarcReport"
    /// The arguments of the function.
    static let used = "used"
    static let listening = "listening"
    static let printing = "printing"
    static let printed = "printed"
    static let rewritten = "rewritten"
    static let hiding = "hiding"

    /// Whether keys of the browser and context menus are kept from visitors, new windows from opening, and links to other programs
    /// from being followed.
    let isGuarding: Bool
    /// Whether pages have the bar.
    var hasBar = false

    var source: String {
        // First: events of the bar are not for the others.
        "(() => {\n" + Self.listeners + Self.use
            + (hasBar
                ? FieldMessages.source(reporting: Self.hiding, by: Self.binding)
                    + BarScript.source(reportingBy: Self.binding) : "")
            + (isGuarding ? Self.keys + Self.links + Self.addresses : "")
            + "})()"
    }

    /// The script for the page's own world, which replaces its functions.
    var pageSource: String? {
        let parts = (isGuarding ? [Self.windows] : []) + (hasBar ? [Self.unreachable, FieldMessages.pageSource] : [])
        return parts.isEmpty ? nil : parts.joined(separator: "\n")
    }

    /// The script that keeps the listeners: `document.open()` removes all from a window and its document. It leaves observers and timers.
    ///
    /// A private event of this script shows whether they were removed: then use may have been missed.
    private static let listeners = """
        const all = []
        const listen = (target, ...listener) => {
          all.push([target, listener])
          target.addEventListener(...listener)
        }
        const mark = crypto.randomUUID?.() ?? String(Math.random())
        let isMarked = false, isRewritten = false
        listen(document, mark, () => { isMarked = true })
        const again = () => {
          isMarked = false
          document.dispatchEvent(new Event(mark))
          if (!isMarked) {
            isRewritten = true
            \(binding)('\(rewritten)')
          }
          for (const [target, listener] of all) target.addEventListener(...listener)
        }
        new MutationObserver(again).observe(document, { childList: true })
        setInterval(again, 500)

        """

    /// The script that reports use. A film with sound is use as well; one that plays endlessly in the background is not.
    private static let use = """
        const last = {}
        const used = (what = '\(used)') => {
          const now = Date.now()
          if (now >= last[what] && now - last[what] < 1000) return
          last[what] = now
          \(binding)(what)
        }
        const options = { capture: true, passive: true }
        for (const type of ['pointerdown', 'keydown', 'wheel', 'touchstart', 'touchmove'])
          listen(window, type, event => { if (event.isTrusted) used() }, options)
        listen(window, 'pointermove', event => {
          if (event.isTrusted && (event.movementX || event.movementY)) used()
        }, options)
        listen(window, 'timeupdate', event => {
          const media = event.target
          if (event.isTrusted && !media.paused && !media.muted && media.volume > 0 && !media.loop) used('\(listening)')
        }, options)
        // Below the dialog for printing no script runs.
        listen(window, 'beforeprint', event => { if (event.isTrusted) \(binding)('\(printing)') })
        listen(window, 'afterprint', event => { if (event.isTrusted) \(binding)('\(printed)') })

        """

    /// The script that handles keys. In full screen, Chromium passes nearly all keys to a page before it handles them itself.
    private static let keys = """
        const editing = new Set(['a', 'c', 'v', 'x', 'z', 'y', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown',
          'Home', 'End', 'Backspace', 'Delete', 'Control', 'Shift', 'Alt', 'Meta', 'AltGraph'])
        listen(window, 'keydown', event => {
          const withControl = (event.ctrlKey || event.metaKey) && !event.getModifierState('AltGraph')
          const isOfBrowser = /^F\\d+$/.test(event.key) || event.key.startsWith('Browser')
            || (event.shiftKey && event.key === 'Escape')
            || (withControl && (event.shiftKey || event.altKey || !editing.has(event.key)))
            || (event.altKey && !event.ctrlKey
              && ['ArrowLeft', 'ArrowRight', 'Home', 'Enter', 'd', 'e', 'f'].includes(event.key))
          if (isOfBrowser) event.preventDefault()
        }, true)
        listen(window, 'contextmenu', event => event.preventDefault(), true)
        // The browser's zoom makes the bar smaller as well.
        listen(window, 'wheel', event => { if (event.ctrlKey) event.preventDefault() }, { capture: true, passive: false })
        // By the controls of a video; scripts are refused it.
        listen(window, 'enterpictureinpicture', () => document.exitPictureInPicture(), true)
        for (const type of ['dragover', 'drop'])
          listen(window, type, event => {
            if (event.dataTransfer && [...event.dataTransfer.types].includes('Files')) event.preventDefault()
          }, true)

        """

    /// The script that opens links to new windows in the only one, if a visitor followed them.
    private static let links = """
        const isNew = target => target && !['_self', '_parent', '_top'].includes(target.toLowerCase())
          && !document.querySelector(`iframe[name="${CSS.escape(target)}"], frame[name="${CSS.escape(target)}"]`)
        const base = () => document.querySelector('base[target]')?.target
        for (const type of ['click', 'auxclick'])
          listen(window, type, event => {
            const link = event.composedPath().find(node => node.localName === 'a' || node.localName === 'area')
            if (!link?.href) return
            const isOther = event.button > 0 || event.ctrlKey || event.metaKey || event.shiftKey
            if (event.button > 1 || !(isOther || isNew(link.getAttribute('target') || base()))) return
            if (!navigator.userActivation.isActive) return event.preventDefault()
            if (!isOther) return link.setAttribute('target', '_top')
            event.preventDefault()
            const address = new URL(link.href, document.baseURI)
            if (/^https?:$/.test(address.protocol)) top.location.href = address.href
          }, true)
        listen(window, 'submit', event => {
          const form = event.target, button = event.submitter
          if (isNew(button?.getAttribute('formtarget'))) button.setAttribute('formtarget', '_top')
          if (isNew(form.getAttribute('target') || base())) form.setAttribute('target', '_top')
        }, true)

        """

    /// The script for addresses that a browser would pass to another program.
    private static let addresses = """
        const isOutside = address => {
          try {
            return !/^(https?|blob|data|javascript|about):$/.test(new URL(address, document.baseURI).protocol)
          } catch {
            return false
          }
        }
        if (globalThis.navigation) listen(navigation, 'navigate', event => {
          if (event.cancelable && isOutside(event.destination.url)) event.preventDefault()
        })
        listen(window, 'click', event => {
          const link = event.composedPath().find(node => node.localName === 'a' || node.localName === 'area')
          if (link?.href && isOutside(link.href.baseVal ?? link.href)) event.preventDefault()
        }, true)
        listen(window, 'submit', event => {
          if (isOutside(event.submitter?.formAction || event.target.action)) event.preventDefault()
        }, true)
        // Frames: a policy of the document, which stays when its element has gone.
        const frames = new MutationObserver(() => {
          if (!document.head) return
          frames.disconnect()
          const policy = document.createElement('meta')
          policy.httpEquiv = 'Content-Security-Policy'
          policy.content = 'frame-src http: https: blob: data: about: chrome-extension:'
          document.head.prepend(policy)
          policy.remove()
        })
        frames.observe(document, { childList: true, subtree: true })

        """

    /// The script against windows of a page's scripts: a page that a visitor opened is shown in the only one. They also cannot keep events
    /// from the kiosk's listeners, which come after theirs once `document.open()` has removed them.
    private static let windows = """
        (() => {
          const { open, URL, Reflect, navigator, top, document } = window
          const { apply } = Reflect
          const { stopImmediatePropagation, stopPropagation } = Event.prototype
          const currentTarget = Object.getOwnPropertyDescriptor(Event.prototype, 'currentTarget').get
          Event.prototype.stopImmediatePropagation = function () {
            const target = apply(currentTarget, this, [])
            const isWindow = target && target.window === target
            apply(isWindow ? stopPropagation : stopImmediatePropagation, this, [])
          }
          const find = (frame, name) => {
            for (let index = 0; index < frame.length; index++) {
              try { if (frame[index].name === name) return true } catch {}
              if (find(frame[index], name)) return true
            }
            return false
          }
          const isHere = name => ['_self', '_parent', '_top'].includes(name.toLowerCase())
            || (name && name.toLowerCase() !== '_blank' && find(top, name))
          const openWindow = window.open = function (url = '', target = '_blank') {
            if (isHere(String(target))) return Reflect.apply(open, this ?? window, arguments)
            const address = new URL(url, document.baseURI)
            if (url && navigator.userActivation.isActive && /^https?:$/.test(address.protocol)) top.location.href = address.href
            return null
          }
          const { open: openDocument } = Document.prototype
          Document.prototype.open = function () {
            return arguments.length > 2 ? apply(openWindow, window, arguments) : apply(openDocument, this, arguments)
          }
          HTMLVideoElement.prototype.requestPictureInPicture = () => Promise.reject(new DOMException('', 'NotSupportedError'))
          const { click } = HTMLElement.prototype
          HTMLElement.prototype.click = function () {
            if (this.localName === 'a' && !this.isConnected && this.target && !isHere(this.target)) this.target = '_top'
            return Reflect.apply(click, this, [])
          }
          const { submit } = HTMLFormElement.prototype
          HTMLFormElement.prototype.submit = function () {
            const target = this.getAttribute('target')
            if (target && !isHere(target)) this.setAttribute('target', '_top')
            return Reflect.apply(submit, this, [])
          }
        })();
        """

    /// The script against pages that put the bar out of reach: a locked pointer reaches no bar, and there may be no Escape key; a list of options or a picker,
    /// which covers the bar, could open again at each touch.
    private static let unreachable = """
        (() => {
          const { Promise, DOMException } = window
          Element.prototype.requestPointerLock = () => Promise.reject(new DOMException('The kiosk has no pointer lock.', 'NotAllowedError'))
          for (const { prototype } of [HTMLSelectElement, HTMLInputElement]) prototype.showPicker = function showPicker() {
            throw new DOMException('Pages of the kiosk open no pickers.', 'NotAllowedError')
          }
        })();
        """
}
