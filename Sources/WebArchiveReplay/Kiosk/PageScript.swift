// SPDX-License-Identifier: Apache-2.0

/// What a kiosk runs in each page, in a world of its own that the page's scripts cannot see.
struct PageScript {
    /// The name of that world, and of the function in it that reports use.
    static let world = "webarc"
    static let binding = "webarcUsed"

    /// Whether keys of the browser, context menus and links to other programs are kept from visitors.
    let guardsBrowser: Bool

    var source: String { "(() => {\n" + Self.use + (guardsBrowser ? Self.guards : "") + "})()" }

    /// A film that somebody listens to is use as well; one that plays in the background without end is not.
    private static let use = """
        let last = 0
        const used = () => {
          const now = Date.now()
          if (now >= last && now - last < 1000) return
          last = now
          \(binding)('')
        }
        const options = { capture: true, passive: true }
        for (const type of ['pointerdown', 'keydown', 'wheel', 'touchstart', 'touchmove'])
          addEventListener(type, event => { if (event.isTrusted) used() }, options)
        addEventListener('pointermove', event => {
          if (event.isTrusted && (event.movementX || event.movementY)) used()
        }, options)
        addEventListener('timeupdate', event => {
          const media = event.target
          if (event.isTrusted && !media.paused && !media.muted && !media.loop) used()
        }, options)

        """

    /// Full screen, Chromium gives a page nearly all keys before it takes them for itself.
    private static let guards = """
        const editing = new Set(['a', 'c', 'v', 'x', 'z', 'y', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown',
          'Home', 'End', 'Backspace', 'Delete', 'Control', 'Shift', 'Alt', 'Meta', 'AltGraph'])
        addEventListener('keydown', event => {
          const withControl = (event.ctrlKey || event.metaKey) && !event.getModifierState('AltGraph')
          const isOfBrowser = /^F\\d+$/.test(event.key) || event.key.startsWith('Browser')
            || (withControl && (event.shiftKey || !editing.has(event.key)))
            || (event.altKey && !event.ctrlKey && ['ArrowLeft', 'ArrowRight', 'Home', 'd', 'e', 'f'].includes(event.key))
          if (isOfBrowser) event.preventDefault()
        }, true)
        addEventListener('contextmenu', event => event.preventDefault(), true)
        for (const type of ['dragover', 'drop'])
          addEventListener(type, event => {
            if (event.dataTransfer && [...event.dataTransfer.types].includes('Files')) event.preventDefault()
          }, true)
        addEventListener('click', event => {
          const link = event.composedPath().find(node => node.localName === 'a' || node.localName === 'area')
          if (link && link.protocol && !/^(https?|blob|data|javascript|about):$/.test(link.protocol)) event.preventDefault()
        }, true)

        """
}
