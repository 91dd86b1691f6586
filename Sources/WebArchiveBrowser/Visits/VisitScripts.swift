// SPDX-License-Identifier: Apache-2.0

/// The scripts of a visit. They run in a world of their own, so that a page that replaces functions does not change them.
enum VisitScripts {
    /// The longest text, and the greatest length of all URLs, in characters: the message with them must stay short.
    private static let maximumLength = 1 << 20

    /// Loads lazy images, starts films, and scrolls to the end. Its value is the height of the document.
    static let behaviours = """
        (async () => {
          // Observers of intersections run after the callbacks of a frame.
          const frame = () => new Promise(done => {
            requestAnimationFrame(() => setTimeout(done))
            setTimeout(done, 200)
          })
          for (const lazy of document.querySelectorAll('img[loading=lazy],iframe[loading=lazy]')) lazy.loading = 'eager'
          for (const media of document.querySelectorAll('video,audio')) {
            media.muted = true
            media.play().catch(() => {})
          }
          const root = document.scrollingElement
          if (!root) return 0
          const end = performance.now() + 3000
          let y = 0
          while (performance.now() < end && y + innerHeight < root.scrollHeight) {
            y += innerHeight * .9
            scrollTo({ top: y, behavior: 'instant' })
            await frame()
          }
          if (y) scrollTo({ top: 0, behavior: 'instant' })
          return root.scrollHeight
        })()
        """

    static let height = "document.scrollingElement ? document.scrollingElement.scrollHeight : 0"

    /// The title and the text.
    static let text = """
        (() => {
          const whole = text => String(text).toWellFormed()
          const body = document.body || document.documentElement
          return { title: whole(document.title).slice(0, 4096), url: location.href.slice(0, 65535),
            text: body ? whole(body.innerText ?? body.textContent).slice(0, \(maximumLength)) : '' }
        })()
        """

    /// The links and resources of the document, and of its frames in the same process.
    static let links = """
        (() => {
          const links = new Set(), resources = new Set()
          let left = \(maximumLength)
          const add = (set, text, base) => {
            try {
              const url = new URL(text, base)
              if (url.protocol !== 'http:' && url.protocol !== 'https:') return
              url.hash = ''
              if (set.has(url.href) || (left -= url.href.length) < 0) return
              set.add(url.href)
            } catch {}
          }
          const walk = (root, base, depth) => {
            for (const link of root.querySelectorAll('a,area')) {
              const href = link.getAttribute('href') ?? link.getAttribute('xlink:href')
              if (href !== null) add(links, href, base)
            }
            for (const link of root.querySelectorAll('link[rel~=next][href],link[rel~=prev][href]'))
              add(links, link.getAttribute('href'), base)
            for (const element of root.querySelectorAll('[srcset],[data-srcset]'))
              for (const part of (element.getAttribute('srcset') ?? element.dataset.srcset).split(/,\\s+/))
                if (part.trim()) add(resources, part.trim().split(/\\s/)[0], base)
            for (const name of ['data-src', 'data-original', 'data-lazy-src', 'data-background'])
              for (const element of root.querySelectorAll(`[${name}]`))
                if (/^\\S+$/.test(element.getAttribute(name))) add(resources, element.getAttribute(name), base)
            for (const element of root.querySelectorAll('source[src],track[src]'))
              add(resources, element.getAttribute('src'), base)
            for (const element of root.querySelectorAll('*')) {
              if (depth > 16) return
              if (element.shadowRoot) walk(element.shadowRoot, base, depth + 1)
              if (element.localName !== 'iframe' && element.localName !== 'frame') continue
              try {
                const inner = element.contentDocument
                if (inner) walk(inner, inner.baseURI, depth + 1)
              } catch {}
            }
          }
          walk(document, document.baseURI, 0)
          return { links: [...links], resources: [...resources].slice(0, 4096) }
        })()
        """
}
