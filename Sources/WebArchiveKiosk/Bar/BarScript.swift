// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveReplay

/// The script of the bar, in the kiosk's own world of each page.
///
/// The bar is in a closed shadow root in the top layer. A page sees an empty element: its style sheets cannot hide that, for important
/// rules of a shadow tree win over those outside (CSS Scoping, section 3.3.1), and where it is removed or covered the bar comes back. Clicks are
/// taken by place on their way to the window, so that a page cannot keep them. From a modal dialog with a frame it would get none, so it moves into that.
/// ``BarWatch`` has it look after itself, for a page may clear the timers of this world.
enum BarScript {
    /// The prefix of each of its reports.
    static let prefix = "bar:"
    /// The function in the kiosk's world of a page with a bar, which returns a ``BarWatch/Sight``.
    static let watched = "webarcKeep"

    private static let shownTexts: [DeviceText] = [
        .bar, .back, .home, .zoomIn, .zoomOut, .keyboard, .hideKeyboard, .space, .backspace, .enter, .shift, .languages,
        .hideBar, .showBar,
    ]

    private static var languages: JSONValue {
        .object(
            DeviceLanguage.all.map { language in
                let texts = shownTexts.map { JSONValue.Member(name: $0.rawValue, value: .string(language[$0])) }
                let direction = JSONValue.Member(
                    name: "dir", value: .string(language.isRightToLeft ? "rtl" : "ltr"))
                return .init(name: language.tag, value: .object(texts + [direction]))
            })
    }

    /// Returns the script. `listen` is that of the page script, which keeps listeners.
    static func source(reportingBy binding: String) -> String {
        """
        if (window === top && ['text/html', 'application/xhtml+xml'].includes(document.contentType)) {
        // Before there is an element, to which a page may give the name of the property.
        const isHTML = document.contentType === 'text/html'
        const texts = \(languages.line)
        const layouts = \(KeyboardLayout.json.line)
        const tell = what => \(binding)('\(prefix)' + what)
        const sheet = new CSSStyleSheet()
        sheet.replaceSync(`\(style)`)

        """ + parts + keyboard + presses + actions + room + defence + upkeep + "}\n"
    }

    private static let style = """
        :host{all:initial!important;display:block!important;position:fixed!important;inset:auto 0 0 0!important;width:100%!important;\
        margin:0!important;padding:0!important;border:0!important;background:none!important;overflow:visible!important;\
        z-index:2147483647!important;visibility:visible!important;opacity:1!important;pointer-events:auto!important}
        :host([hidden]),:host(:not([hidden])){clip-path:none!important;transform:none!important;filter:none!important}
        @media print{:host{display:none!important}}
        *{box-sizing:border-box;font:600 18px/1.2 system-ui,sans-serif}
        .all{color:#fff;background:#1b1b1f;border-top:1px solid #777}
        .row{display:flex;gap:8px;padding:4px 8px;justify-content:center;flex-wrap:wrap}
        .keys .row{flex-wrap:nowrap;gap:4px;padding:2px 4px}
        button{min-width:56px;min-height:48px;padding:4px 14px;border:1px solid #8a8a92;border-radius:8px;color:#fff;background:#33333a;\
        touch-action:manipulation;user-select:none}
        .keys button{flex:1 1 0;min-width:0;max-width:96px;padding:4px 0}.keys .long{flex:4 1 0;max-width:480px}
        button:active,button[aria-pressed=true]{background:#5a5a66}button:focus-visible{outline:4px solid #ffd54a;outline-offset:-4px}
        .fold{margin-inline-start:auto}[hidden]{display:none!important}
        .folded{width:min-content;margin-inline-start:auto;border:0;background:none}.folded .row{padding:0}
        """

    /// The elements. No text is parsed as HTML, since a page's policy may refuse that (Trusted Types).
    private static let parts = """
        const make = (name, attributes = {}, ...children) => {
          const element = document.createElementNS('http://www.w3.org/1999/xhtml', name)
          for (const key in attributes) element.setAttribute(key, attributes[key])
          element.append(...children)
          return element
        }
        const choose = () => {
          for (const tag of [document.documentElement.lang, ...navigator.languages]) {
            const first = tag.toLowerCase().split('-')[0]
            const found = Object.keys(texts).find(known => known.toLowerCase().split('-')[0] === first)
            if (found) return found
          }
          return 'en'
        }
        let tag = 'en', host, root, all, bar, keys, choices, isFolded = false, isShifted = false, wantsKeyboard = false
        const button = (action, label, sign) => make('button', { type: 'button', 'data-do': action, 'aria-label': label }, sign ?? label)
        const build = () => {
          tag = choose()
          const text = texts[tag]
          const isThere = name => text[name]
          host = make('div', { popover: 'manual' })
          root = host.attachShadow({ mode: 'closed' })
          root.adoptedStyleSheets = [sheet]
          bar = make('div', { class: 'row', role: 'toolbar', 'aria-label': isThere('bar') },
            button('back', text.back, (text.dir === 'rtl' ? '→ ' : '← ') + text.back), button('home', text.home, '⌂ ' + text.home),
            button('languages', text.languages, text.languages), button('smaller', text.zoomOut, 'A−'), button('larger', text.zoomIn, 'A+'),
            button('keyboard', text.keyboard, '⌨'), button('fold', text.hideBar, '▾'))
          bar.lastChild.classList.add('fold')
          // These are signs, and no text of the language.
          for (const action of ['smaller', 'larger']) bar.querySelector(`[data-do=${action}]`).dir = 'ltr'
          choices = make('div', { class: 'row', hidden: '' })
          keys = make('div', { class: 'keys', dir: 'ltr', hidden: '', role: 'group', 'aria-label': text.keyboard })
          all = make('div', { class: 'all', dir: text.dir, lang: tag }, choices, keys, bar)
          root.append(all)
          new MutationObserver(() => { if (isWorthwhile()) host.inert = false; else isSpent ||= host.inert }).observe(host, { attributes: true, attributeFilter: ['inert'] })
          fillKeys()
          fillLanguages()
        }
        const fillLanguages = () => {
          const links = [...document.querySelectorAll('link[rel~=alternate][hreflang][href]')].slice(0, 12)
            .filter(link => /^https?:/.test(link.href) && link.hreflang !== 'x-default')
          choices.replaceChildren(...links.map(link => {
            let name = link.hreflang
            try { name = new Intl.DisplayNames([name], { type: 'language' }).of(name) } catch {}
            const choice = button('go', name)
            choice.dataset.href = link.href
            choice.lang = link.hreflang
            return choice
          }))
          bar.querySelector('[data-do=languages]').hidden = !links.length
          if (!links.length) choices.hidden = true
        }

        """

    private static let keyboard = """
        const fillKeys = () => {
          const text = texts[tag], rows = layouts[tag] ?? layouts.en
          keys.replaceChildren(...rows.map((row, number) => make('div', { class: 'row' },
            ...(number === 3 ? [button('shift', text.shift, '⇧')] : []),
            ...[...row].map(letter => button('type', letter, isShifted ? letter.toLocaleUpperCase(tag) : letter)),
            ...(number === 3 ? [button('erase', text.backspace, '⌫')] : []))),
            make('div', { class: 'row' }, ...[...'@.-_'].map(letter => button('type', letter)), button('space', text.space, text.space),
              ...[...',/:?'].map(letter => button('type', letter)), button('enter', text.enter, '⏎')))
          keys.lastChild.querySelector('[data-do=space]').classList.add('long')
          keys.querySelector('[data-do=shift]').setAttribute('aria-pressed', isShifted)
        }
        const isEditable = element => element && (element.isContentEditable || element.localName === 'textarea'
          || (element.localName === 'input' && !/^(button|checkbox|color|file|hidden|image|radio|range|reset|submit)$/.test(element.type)))
        const showKeyboard = isShown => {
          keys.hidden = !isShown
          const toggle = bar.querySelector('[data-do=keyboard]')
          toggle.setAttribute('aria-pressed', isShown)
          toggle.setAttribute('aria-label', texts[tag][isShown ? 'hideKeyboard' : 'keyboard'])
          reserve()
        }
        listen(window, 'focusin', event => {
          if (!host || !event.isTrusted || !wantsKeyboard) return
          const field = event.composedPath()[0]
          if (!isEditable(field) || isFolded) return
          showKeyboard(true)
          field.scrollIntoView({ block: 'center' })
        }, true)
        // With a physical keyboard none is needed on the screen.
        listen(window, 'pointerdown', event => { if (event.isTrusted) wantsKeyboard = event.pointerType === 'touch' }, true)

        """

    /// Counts the presses that a page keeps from the bar. Once a page has taken the listeners away, its own may stand before them.
    ///
    /// The browser counts each press that a page gets (Event Timing, section 3.2). Those on a video's controls come to no listener.
    private static let presses = """
        let received = 0
        for (const type of ['pointerdown', 'pointerup'])
          listen(window, type, event => { if (event.isTrusted) received++ }, options)
        const missed = () => performance.eventCounts.get('pointerdown') + performance.eventCounts.get('pointerup') - received
        let permitted = missed()
        const isDeaf = () => {
          if (!isRewritten) permitted = missed()
          return missed() - permitted > 1
        }

        """

    private static let actions = """
        let zoom = 1
        const applyZoom = () => {
          zoom = typeof globalThis.webarcZoom === 'number' ? globalThis.webarcZoom : 1
          guard()
          if (all) all.style.zoom = 1 / zoom
        }
        globalThis.webarcApplyZoom = applyZoom
        const setFolded = isNow => {
          isFolded = isNow
          all.classList.toggle('folded', isFolded)
          for (const item of bar.children) if (item.dataset.do !== 'fold') item.hidden = isFolded
          if (isFolded) keys.hidden = choices.hidden = true
          else fillLanguages()
          const fold = bar.querySelector('[data-do=fold]')
          fold.textContent = isFolded ? '▴' : '▾'
          fold.setAttribute('aria-label', texts[tag][isFolded ? 'showBar' : 'hideBar'])
          reserve()
        }
        const press = item => {
          switch (item.dataset.do) {
          case 'fold': return setFolded(!isFolded)
          case 'languages': choices.hidden = !choices.hidden; return reserve()
          case 'keyboard': return showKeyboard(keys.hidden)
          case 'larger': case 'smaller':
            globalThis.webarcZoom = Math.min(3, Math.max(0.5, Math.round((zoom + (item.dataset.do === 'larger' ? 0.25 : -0.25)) * 4) / 4))
            applyZoom()
            reserve()
            return tell('zoom ' + zoom)
          case 'shift': isShifted = !isShifted; return fillKeys()
          case 'type': {
            const letter = item.textContent
            tell('type ' + letter)
            if (isShifted) { isShifted = false; fillKeys() }
            return
          }
          case 'space': return tell('type  ')
          case 'go': return tell('go ' + item.dataset.href)
          default: tell(item.dataset.do)
          }
        }
        const isInside = (box, x, y) => x >= box.left && x < box.right && y >= box.top && y < box.bottom
        const buttonAt = event => [...all.querySelectorAll('button')].find(item => {
          const box = item.getBoundingClientRect()
          return box.width && isInside(box, event.clientX, event.clientY)
        })
        // By its name: a page may have the bar built again during a press.
        const name = item => item && item.dataset.do + (item.dataset.do === 'type' ? item.textContent : '')
        let pressed
        const isOnBar = event => host?.isConnected && isInside(all.getBoundingClientRect(), event.clientX, event.clientY)
        for (const type of ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'touchstart', 'touchend', 'auxclick', 'dblclick', 'click'])
          listen(window, type, event => {
            const isByKey = type === 'click' && event.composedPath()[0] === host && event.detail === 0 && !event.pointerType
            const place = event.changedTouches?.[0] ?? event
            if (!event.isTrusted || !(isByKey || isOnBar(place))) return
            event.stopImmediatePropagation()
            // The field that has the focus keeps it.
            if (type === 'mousedown' || type === 'click') event.preventDefault()
            if (isByKey) return root.activeElement && press(root.activeElement)
            if (type !== 'pointerdown' && type !== 'pointerup') return
            // Not by the click, which does not come if a page has removed the bar in between.
            const item = buttonAt(place)
            if (type === 'pointerup') {
              if (item && name(item) === pressed) press(item)
              pressed = null
            } else if (/^(back|home|go)$/.test(item?.dataset.do)) {
              // At once: a page may load itself again before the end of a press.
              pressed = null
              press(item)
            } else pressed = name(item)
          }, { capture: true, passive: false })

        """

    /// The script that keeps room for the bar below the page.
    private static let room = """
        let isPrinting = false
        const reserve = () => {
          const element = document.documentElement
          if (!host || !element?.style) return
          const height = isPrinting || isFolded ? 0 : Math.ceil(all.getBoundingClientRect().height / zoom)
          const value = height ? height + 'px' : ''
          if (element.style.getPropertyValue('padding-bottom') !== value || element.style.getPropertyPriority('padding-bottom') !== 'important')
            value ? element.style.setProperty('padding-bottom', value, 'important') : element.style.removeProperty('padding-bottom')
        }
        listen(window, 'beforeprint', event => { if (event.isTrusted) { isPrinting = true; reserve() } })
        listen(window, 'afterprint', event => { if (event.isTrusted) { isPrinting = false; reserve() } })
        // A page that fills the window, such as a map, has nothing to scroll: there the bar is initially a button in the corner.
        let isLookedAt = false
        const look = () => {
          isLookedAt = true
          const view = document.scrollingElement ?? document.documentElement
          const height = all.getBoundingClientRect().height
          if (view.scrollHeight > innerHeight + height) return
          const isFull = [0.1, 0.3, 0.5, 0.7, 0.9].filter(part =>
            document.elementsFromPoint(innerWidth * part, innerHeight - height / 2).some(element =>
              ![host, document.body, document.documentElement].includes(element))).length > 2
          if (isFull) setFolded(true)
        }

        """

    /// The script that undoes changes of a page to the root element, from which the top layer inherits little, and elements above the bar.
    private static let defence = """
        // Inline and important: only a transition wins over that.
        let isForced = false, isNarrow = false
        const guard = () => {
          const style = document.documentElement?.style
          if (!style) return
          const set = (name, value) => {
            if (style.getPropertyValue(name) !== value || style.getPropertyPriority(name) !== 'important')
              style.setProperty(name, value, 'important')
          }
          set('zoom', String(zoom))
          set('content-visibility', 'visible')
          if (isForced || /none|contents/.test(style.display)) set('display', 'block')
          if (isForced) set('transition', 'none')
          if (isNarrow) set('scrollbar-width', 'thin')
          for (const element of [document.documentElement, host?.parentNode]) if (element?.inert) element.inert = false
        }
        const force = () => {
          if (!document.documentElement) return
          const { display, contentVisibility, zoom: current } = getComputedStyle(document.documentElement)
          if (display === 'none' || contentVisibility !== 'visible' || Math.abs(current - zoom) > 0.01) isForced = true
          // Scrollbars of any width are those of ::-webkit-scrollbar, which counts for "auto" alone.
          if (host && !isLarge()) isNarrow = true
          guard()
        }
        const raise = () => {
          try {
            if (host.matches(':popover-open')) host.hidePopover()
            host.showPopover()
          } catch {}
        }
        // A dispute with a page that undoes each repair would never end.
        let repairs = 0, isSpent = false
        const isWorthwhile = () => ++repairs < 1000
        for (const type of ['beforetoggle', 'toggle'])
          listen(window, type, event => {
            if (!host || !event.isTrusted) return
            // It could be cancelled.
            if (event.target === host) return event.stopImmediatePropagation()
            if (event.newState === 'open') queueMicrotask(() => { if (isWorthwhile()) raise(); else isSpent = true })
          }, true)
        // Pages have no function for it, but may find one.
        listen(document, 'pointerlockchange', () => document.exitPointerLock())
        // The browser's own measurement, of all that is painted above: a page may have clicks pass through that.
        let isSeen
        // Below the threshold nothing counts as visible: a page may have cut off the rest.
        const sight = new IntersectionObserver(records => { isSeen = records.at(-1).isVisible },
          { trackVisibility: true, delay: 100, threshold: 0.95 })
        const measure = () => {
          isSeen = undefined
          sight.disconnect()
          // Not the keyboard, for which a small screen may have no room.
          sight.observe(bar)
        }
        /// The element that a press in the middle of a box goes to. A closed shadow root hides its own.
        const hit = ({ left, top, width, height }) => {
          const place = [left + width / 2, top + height / 2]
          let found = document.elementFromPoint(...place)
          for (let inner; (inner = found?.shadowRoot?.elementFromPoint(...place)) && inner !== found;) found = inner
          return found
        }
        // A form may give the names of these properties to its elements, and so make a circle.
        const dialogAround = element => {
          for (let node = element, depth = 0; node && depth < 1000; depth++) {
            if (node.localName === 'dialog' && node.matches(':modal')) return node
            node = node.assignedSlot ?? node.parentNode ?? node.host
          }
        }
        // A document drops the style sheets of a root that comes from another one.
        const isStyled = () => root.adoptedStyleSheets[0] === sheet
        const isPlaced = () => host.isConnected
          && (host.parentNode === document.documentElement || host.parentNode.matches?.('dialog:modal'))
        // Below a modal dialog the bar is inert, and within it is not. A frame or a film below an inert bar would get its presses;
        // other elements let them pass.
        const keepers = /^(iframe|frame|object|embed|fencedframe|video|audio)$/
        const enterDialog = () => {
          const below = hit(all.getBoundingClientRect())
          const dialog = keepers.test(below?.localName) && dialogAround(below)
          if (!dialog || dialog === host.parentNode) return
          dialog.append(host)
          raise()
          measure()
        }
        /// The places of the buttons that lead away and get no press themselves, in the document. Most elements below let the press pass.
        const unreached = () => ['back', 'home', 'fold'].map(action => bar.querySelector(`[data-do=${action}]`).getBoundingClientRect())
          .filter(box => box.width && ![host, document.documentElement, null].includes(hit(box)))
          .map(({ left, top, width, height }) => [left + width / 2 + scrollX, top + height / 2 + scrollY].map(Math.round).join())
        // The scrollbars of a page can have any width.
        const isLarge = () => {
          const box = all.getBoundingClientRect(), view = visualViewport
          if (box.height < 40 || box.width < 40) return false
          return ['back', 'home', 'fold'].map(action => bar.querySelector(`[data-do=${action}]`)).every(button => {
            const { left, top, right, bottom, width, height } = button.getBoundingClientRect()
            return button.hidden || (width >= 40 && height >= 40 && left > -2 && top > -2
              && right < view.width * view.scale + 2 && bottom < view.height * view.scale + 2)
          })
        }

        """

    private static let upkeep = """
        // XHTML with another root than html has no place for the bar.
        const isForeign = () => !isHTML && document.documentElement
          && !(document.documentElement instanceof HTMLElement)
        const strip = () => {
          for (const { name } of [...host.attributes]) if (name !== 'popover') host.removeAttribute(name)
        }
        const keep = () => {
          const element = document.documentElement
          if (!element || isForeign()) return
          if (host && !isStyled()) { host.remove(); host = null }
          if (!host) { build(); applyZoom(); if (isFolded) setFolded(true); measure() }
          guard()
          if (!isPlaced()) element.append(host)
          strip()
          if (host.popover !== 'manual') host.popover = 'manual'
          if (!host.matches(':popover-open')) raise()
          // Not in a dispute, since it costs a layout.
          if (repairs < 50) enterDialog()
          if (choose() !== tag) { host.remove(); host = null; return keep() }
          reserve()
          if (!isLookedAt && document.readyState === 'complete') look()
        }
        let transition
        /// Repairs the bar, and reports the state that a visitor sees, and places that need a closer look. That is the state before the repair: a page may undo each repair at once.
        globalThis.\(watched) = () => {
          if (isForeign()) return 'application/xml'
          lookAtFocus()
          const isDisputed = isSpent
          isSpent = false
          repairs = 0
          again()
          const last = sight.takeRecords().at(-1)
          if (last) isSeen = last.isVisible
          const isGood = host && !isDisputed && !hadMessage && isStyled() && isLarge() && isSeen !== false && !document.pointerLockElement
          const places = isGood ? unreached() : []
          hadMessage = false
          // A page may keep afterprint away. Below the dialog, no check gets a response.
          isPrinting = false
          keep()
          if (document.hidden || matchMedia('print').matches) return '\(BarWatch.Sight.shown.rawValue)'
          if (isDeaf()) return '\(BarWatch.Sight.hidden.rawValue)'
          // A document without any element: its content does not come, or is in no coding that the browser can read.
          if (!host) return '\(BarWatch.Sight.unknown.rawValue)'
          if (isGood) return [isSeen ? '\(BarWatch.Sight.shown.rawValue)' : '\(BarWatch.Sight.unknown.rawValue)', ...places].join(' ')
          force()
          document.exitPointerLock()
          // Above the top layer. Those of good pages are short.
          const current = document.activeViewTransition ?? document.documentElement?.activeViewTransition
          if (current && current === transition) current.skipTransition()
          transition = current
          raise()
          measure()
          return '\(BarWatch.Sight.hidden.rawValue)'
        }
        const observer = new MutationObserver(records => {
          const element = document.documentElement
          if (!element) return
          if (!isWorthwhile()) {
            isSpent ||= !host || !isPlaced() || host.inert
            return
          }
          if (!host || !isStyled() || !isPlaced()) {
            keep()
            watchRoot()
          } else {
            guard()
            if (records.some(({ attributeName, target }) => attributeName === 'open' && target.open)) {
              raise()
              enterDialog()
            }
          }
        })
        let watchedRoot
        const watchRoot = () => {
          const element = document.documentElement
          if (!element || element === watchedRoot) return
          watchedRoot = element
          observer.disconnect()
          observer.observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ['open'] })
          observer.observe(element, { attributes: true, attributeFilter: ['style', 'inert'] })
        }
        observer.observe(document, { childList: true, subtree: true })
        for (const type of ['DOMContentLoaded', 'load', 'pageshow', 'resize', 'fullscreenchange'])
          listen(window, type, () => {
            keep()
            if (type === 'fullscreenchange') raise()
            if (host && type !== 'resize') fillLanguages()
          })
        keep()
        watchRoot()

        """
}
