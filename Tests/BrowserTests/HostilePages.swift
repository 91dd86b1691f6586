// SPDX-License-Identifier: Apache-2.0

/// The scripts of pages that keep the bar of a kiosk away, by name.
enum HostilePages {
    /// Pages that do all they can against the bar.
    static let attacks = [
        "removes":
            "setInterval(() => { for (const e of [...document.documentElement.children].slice(2)) e.remove() }, 20)",
        "hides": """
        document.head.innerHTML += '<style>html>*:not(head,body),[popover]{display:none!important;visibility:hidden!important;\
        opacity:0!important;transform:translateY(9999px)!important;clip-path:inset(50%)!important;pointer-events:none!important}</style>'
        setInterval(() => { for (const e of document.querySelectorAll('[popover]')) {
          e.hidden = true; e.style.cssText = 'display:none!important'; try { e.hidePopover() } catch {} } }, 20)
        """,
        "keeps": """
        for (const type of ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click'])
          for (const target of [window, document]) target.addEventListener(type, event => {
            event.stopImmediatePropagation(); event.preventDefault() }, true)
        """,
        "covers": """
        const dialog = document.createElement('dialog')
        dialog.style.cssText = 'position:fixed;inset:0;width:100vw;height:100vh;max-width:none;max-height:none'
        document.body.append(dialog)
        dialog.showModal()
        """,
        "rewrites":
            "setTimeout(() => { document.open(); document.write('<title>rewrites</title><p>anew'); document.close() }, 300)",
        "patches": """
        Element.prototype.attachShadow = Element.prototype.append = HTMLElement.prototype.showPopover = () => { throw 1 }
        document.elementFromPoint = () => document.body
        Node.prototype.appendChild = () => { throw 1 }
        """,
        // Its listeners come before those of the kiosk, which they take away.
        "deafens": """
        const write = () => {
          document.open()
          for (const type of ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'touchstart', 'touchend', 'click'])
            addEventListener(type, write, true)
          document.write('<title>deafens</title><p>anew')
          document.close()
        }
        setTimeout(write, 300)
        """,
        // One event of each press alone.
        "deafensAtTheEnd": """
        const write = () => {
          document.open()
          addEventListener('pointerup', write, true)
          document.write('<title>deafensAtTheEnd</title><p>anew')
          document.close()
        }
        setTimeout(write, 300)
        """,
        // Below an inert bar a frame, or the controls of a film, would get the presses.
        "frameInADialog": "\(dialog); dialog.innerHTML = frame; document.body.append(dialog); dialog.showModal()",
        "filmInADialog": "\(dialog); dialog.innerHTML = film; document.body.append(dialog); dialog.showModal()",
        "frameBelow": """
        \(dialog)
        document.body.innerHTML = frame
        setInterval(() => { for (const e of document.querySelectorAll('html,[popover]')) e.inert = true }, 5)
        """,
        "nothing": "document.documentElement.style.cssText = 'display:none!important;zoom:0.1'",
    ]

    /// A dialog that covers all, and contents for it.
    private static let dialog = """
        const dialog = document.createElement('dialog')
        dialog.style.cssText = 'position:fixed;inset:0;width:100vw;height:100vh;max-width:none;max-height:none;margin:0;padding:0;border:0'
        const [frame, film] = ['iframe srcdoc="<body>Frame"', 'video controls'].map(name =>
          `<${name} style="position:fixed;inset:0;width:100%;height:100%;border:0"></${name.split(' ')[0]}>`)
        """

    /// Pages that change something during a press, as soon as they see one.
    static let duringPresses = [
        "reloads": whilePressed("location.reload()"),
        "translates": whilePressed(
            """
            bar.remove()
            document.documentElement.lang = document.documentElement.lang === 'de' ? 'en' : 'de'
            """),
    ]

    private static func whilePressed(_ action: String) -> String {
        """
        let wasPressed = false
        const step = () => {
          const bar = document.querySelector('[popover]'), isPressed = bar?.matches(':active')
          if (isPressed && !wasPressed) { \(action) }
          wasPressed = isPressed
          requestAnimationFrame(step)
        }
        step()
        """
    }

    /// Covers all without being in the way of clicks.
    private static let cover = """
        'position:fixed;inset:0;width:100vw;height:100vh;max-width:none;max-height:none;margin:0;border:0;pointer-events:none'
        """

    /// Pages that remove or cover the bar again and again, and what is undone each time.
    static let repaired = [
        "unpainted": "document.head.innerHTML += '<style>html{content-visibility:hidden!important}</style>'",
        "layered": """
        document.head.innerHTML +=
          '<style>@layer a{html{zoom:.05!important;content-visibility:hidden!important;display:none!important}}</style>'
        """,
        // A document drops the style sheets of a root that comes from another one.
        "unstyled": """
        document.head.innerHTML += '<style>[popover]{all:unset;display:block!important;position:fixed!important;inset:auto auto 90px 0!important;\
        width:100%!important;height:1px!important;line-height:50px!important;overflow:hidden!important}</style>'
        const frame = document.body.appendChild(document.createElement('iframe')).contentDocument
        const step = () => {
          const bar = document.querySelector('[popover]')
          if (!bar) return setTimeout(step, 5)
          frame.body.append(bar)
          document.documentElement.append(bar)
          bar.showPopover()
        }
        step()
        """,
        "tiny": "setInterval(() => document.documentElement.style.setProperty('zoom', '.05', 'important'), 5)",
        "absent": """
        setInterval(() => document.documentElement.style.setProperty('display', 'none', 'important'), 5)
        """,
        "slow": """
        document.head.innerHTML +=
          '<style>html{transition:all 99999s 99999s allow-discrete;zoom:.05;content-visibility:hidden}</style>'
        """,
        "frames": """
        let count = 0
        const step = () => {
          document.documentElement.style.cssText = count++ % 2 ? 'display:none!important' : 'content-visibility:hidden!important;zoom:.01'
          requestAnimationFrame(step)
        }
        step()
        """,
        "timers": """
        setTimeout(() => {
          for (let number = 0; number < 10000; number++) clearInterval(number)
          const dialog = document.createElement('dialog')
          dialog.style.cssText = \(cover)
          document.body.append(dialog)
          dialog.showModal()
        }, 500)
        """,
        "cancels": """
        addEventListener('beforetoggle', event => event.preventDefault(), true)
        setInterval(() => document.querySelector('[popover]')?.hidePopover(), 20)
        """,
        "inert": """
        setInterval(() => { for (const e of document.querySelectorAll('html,[popover]')) e.inert = true }, 5)
        """,
        "transition": "document.head.innerHTML += `\(endless)`; document.startViewTransition(() => {})",
        "roots": """
        setInterval(() => {
          const root = document.createElement('html')
          root.innerHTML = '<body>another'
          document.documentElement.replaceWith(root)
        }, 30)
        """,
    ]

    /// Pages whose covers are undone by timers, as they are made: which of both is quicker depends on the machine.
    static let disputed = [
        "scrollbars": """
        document.head.innerHTML += '<style>html{overflow:scroll}html::-webkit-scrollbar{width:940px;height:640px}body{height:3000px}</style>'
        """,
        "dialogs": """
        setInterval(() => {
          const dialog = document.createElement('dialog')
          dialog.style.cssText = \(cover)
          document.body.append(dialog)
          dialog.showModal()
          setTimeout(() => dialog.remove(), 60)
        }, 10)
        """,
        "popovers": """
        setInterval(() => {
          const element = document.createElement('div')
          element.popover = 'manual'
          element.style.cssText = \(cover)
          document.body.append(element)
          element.showPopover()
          setTimeout(() => element.remove(), 60)
        }, 10)
        """,
    ]

    private static let endless = """
        <style>::view-transition{background:#fcc}::view-transition-group(*){animation-duration:99999s}\
        ::view-transition-old(*),::view-transition-new(*){animation:none;display:none}</style>
        """

    /// Pages that win, and are left.
    static let winning = [
        "frameInAClosedRoot": """
        \(dialog)
        dialog.innerHTML = frame
        document.body.attachShadow({ mode: 'closed' }).append(dialog)
        dialog.showModal()
        """,
        "transitions": """
        document.head.innerHTML += `\(endless)`
        const next = () => document.startViewTransition(() => {}).finished.then(next, next)
        next()
        """,
        "hidden": """
        const host = document.createElement('div'), root = host.attachShadow({ mode: 'closed' })
        document.body.append(host)
        const step = () => {
          const dialog = document.createElement('dialog')
          dialog.style.cssText = \(cover)
          root.replaceChildren(dialog)
          dialog.showModal()
          requestAnimationFrame(step)
        }
        step()
        """,
        "printing": """
        dispatchEvent(new Event("beforeprint"))
        const remove = () => document.querySelector("[popover]")?.remove()
        new MutationObserver(remove).observe(document.documentElement, { childList: true, subtree: true })
        remove()
        """,
        // Without a screen there is no event after it.
        "prints": """
        setTimeout(() => {
          print()
          setInterval(() => document.querySelector('[popover]')?.remove(), 4)
          const remove = () => document.querySelector('[popover]')?.remove()
          new MutationObserver(remove).observe(document, { childList: true, subtree: true })
          remove()
        }, 500)
        """,
        // The check takes away an attribute, by which the page learns its time: repairs are used up after it, and the bar is good before the next one.
        "phases": """
        document.body.innerHTML = '<iframe srcdoc="<body>Frame" style="position:fixed;left:0;bottom:0;width:100%;height:120px;border:0"></iframe>'
        const spend = async host => {
          for (let i = 0; i < 1100; i++) { host.inert = true; await null; await null }
          host.inert = true
        }
        const begin = () => {
          const host = [...document.querySelectorAll('[popover]')].find(e => e.parentNode === document.documentElement)
          if (!host) return setTimeout(begin, 50)
          host.setAttribute('x', '')
          new MutationObserver(() => {
            if (host.hasAttribute('x')) return
            host.setAttribute('x', '')
            setTimeout(spend, 0, host)
            setTimeout(() => { host.inert = false }, 236)
          }).observe(host, { attributes: true, attributeFilter: ['x'] })
        }
        begin()
        """,
        "rootless": "setTimeout(() => document.documentElement.remove(), 500)",
        "uprooted": """
        const root = document.documentElement, channel = new MessageChannel()
        const host = document.createElement('div'), shadow = host.attachShadow({ mode: 'closed' })
        document.body.append(host)
        channel.port1.onmessage = () => root.remove()
        const step = () => {
          if (!root.isConnected) document.append(root)
          const dialog = document.createElement('dialog')
          dialog.style.cssText = \(cover)
          shadow.replaceChildren(dialog)
          dialog.showModal()
          requestAnimationFrame(step)
          channel.port2.postMessage(0)
        }
        setTimeout(step, 500)
        """,
        "disputes": """
        const root = document.documentElement
        const shrink = () => { if (root.style.zoom !== '0.05') root.style.setProperty('zoom', '.05', 'important') }
        new MutationObserver(shrink).observe(root, { attributes: true })
        shrink()
        """,
    ]
    static var all: [(key: String, value: String)] {
        [attacks, duringPresses, repaired, disputed, winning].flatMap { $0 }
    }
}
