// SPDX-License-Identifier: Apache-2.0

/// The scripts against the bubbles in which the browser shows messages of form fields, the lists of suggestions, and the pickers of dates, times and
/// colours: they are painted above the bar, and no script sees them.
///
/// A picker stays open while it is touched, and takes keys of the browser; it does not open if the `click` event of its field was cancelled.
///
/// A field whose `invalid` event was cancelled has no bubble (HTML, section 4.10.20.2). That event does not leave its shadow tree. The invalid field
/// gets the focus in place of the bubble, and pages style it.
enum FieldMessages {
    /// The function in the kiosk's world that returns the element with the focus.
    static let focused = "webarcFocused"
    /// The function in the kiosk's world that takes a closed shadow root, and returns the element with the focus in it.
    static let guarded = "webarcGuard"

    /// Returns the script for the kiosk's own world. `listen` is that of the page script, which keeps listeners.
    ///
    /// - Parameter report: the argument of the function that reports an element that may have a closed shadow root in which the focus is.
    static func source(reporting report: String, by binding: String) -> String {
        """
        let isSubmitting = false, isTaken = false
        const cancel = event => {
          event.preventDefault()
          if (!isSubmitting) return
          isSubmitting = false
          const field = event.target
          setTimeout(() => field.focus?.())
        }
        const isSubmit = ({ localName, type }) => (localName === 'button' && type === 'submit')
          || (localName === 'input' && (type === 'submit' || type === 'image'))
        const hasPicker = ({ localName, type }) => localName === 'input'
          && /^(color|date|datetime-local|month|time|week)$/.test(type)
        // Enter in a form without a button submits it as well (HTML, section 4.10.22.2), as the default of this event.
        const press = event => {
          if (event.type === 'click' && hasPicker(event.composedPath()[0])) event.preventDefault()
          isSubmitting = event.type === 'keypress' ? event.key === 'Enter' : event.composedPath().some(isSubmit)
          if (isSubmitting) setTimeout(() => { isSubmitting = false })
        }
        const strike = event => {
          if (!hasPicker(event.composedPath()[0])) return
          // Enter opens the picker if its icon has the focus.
          if (event.key === ' ' || event.key === 'Enter' || event.key === 'F4' || event.key === 'ArrowDown' && event.altKey) event.preventDefault()
        }
        listen(window, 'invalid', cancel, true)
        listen(window, 'keydown', strike, true)
        listen(window, 'click', press, true)
        listen(window, 'keypress', press, true)
        // The elements that can have a shadow root. No script sees one that is closed, and that the browser's parser made.
        const mayHide = element => element && !element.shadowRoot
          && /-|^(article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span)$/.test(element.localName)
        let focused, entered, moved = [], hadMessage = false
        const enter = event => {
          const [element] = event.composedPath()
          if (!event.isTrusted || moved.includes(element) || !mayHide(element)) return
          if (event === entered && element === focused) return
          entered = event
          focused = element
          \(binding)('\(report)')
        }
        // Fields have no lists of suggestions (`<datalist>`): typing opens one, and a script can type.
        const { querySelectorAll } = DocumentFragment.prototype, within = Element.prototype.querySelectorAll
        const dropList = field => { if (field.localName === 'input') field.removeAttribute('list') }
        const lists = new MutationObserver(records => {
          for (const { target, addedNodes } of records) {
            dropList(target)
            for (const node of addedNodes) {
              if (!(node instanceof Element)) continue
              dropList(node)
              within.call(node, 'input[list]').forEach(dropList)
            }
          }
        })
        const watchLists = root => lists.observe(root, { subtree: true, childList: true, attributeFilter: ['list'] })
        watchLists(document)
        // Each root: the focus may move between two that are within the same one, and such a move does not leave it.
        const guard = root => {
          root.addEventListener('invalid', cancel, true)
          root.addEventListener('click', press, true)
          root.addEventListener('keydown', strike, true)
          root.addEventListener('focusin', enter, true)
          watchLists(root)
          querySelectorAll.call(root, 'input[list]').forEach(dropList)
        }
        const isRoot = node => node.host && node.nodeType === Node.DOCUMENT_FRAGMENT_NODE
        for (const type of ['pointerdown', 'keydown', 'focusin', 'click'])
          listen(window, type, event => {
            for (const node of event.composedPath()) if (isRoot(node)) guard(node)
          }, true)
        listen(window, 'focusin', enter, true)
        // An element may also be moved into a root with the focus.
        let looks = 0
        // A page may give the name of the property to an element.
        const { get: active } = Object.getOwnPropertyDescriptor(Document.prototype, 'activeElement')
        const lookAtFocus = () => {
          let element = active.call(document)
          for (let inner; (inner = element?.shadowRoot?.activeElement);) element = inner
          if (!mayHide(element) || ++looks % (element.localName === 'body' ? 8 : 2)) return
          focused = element
          \(binding)('\(report)')
        }
        // A frame of the page's own process has its messages above the bar as well.
        if (window !== top) setInterval(lookAtFocus, 500)
        globalThis.\(FieldMessages.focused) = () => focused
        globalThis.\(guarded) = root => {
          let field = root.activeElement
          for (let inner; (inner = field?.shadowRoot?.activeElement);) field = inner
          isTaken = false
          root.dispatchEvent(new Event(mark))
          if (!isTaken) {
            root.addEventListener(mark, () => { isTaken = true })
            for (let inner = field?.getRootNode() ?? root; inner !== root; inner = inner.host.getRootNode()) guard(inner)
            guard(root)
            if (field?.matches(':invalid')) {
              // A message that came before ends. The page's listeners may move the focus elsewhere meanwhile.
              hadMessage = true
              moved = []
              for (let node = field; node && moved.length < 100; node = node.getRootNode().host) moved.push(node)
              field.blur()
              field.focus()
              moved = []
            }
          }
          return mayHide(field) ? field : null
        }

        """
    }

    /// The script for the page's own world, which replaces its functions. Listeners are added again with each use, since `document.open()` removes them.
    static let pageSource = """
        (() => {
          const { apply } = Reflect, { preventDefault } = Event.prototype
          const { addEventListener, dispatchEvent } = EventTarget.prototype
          const { getRootNode } = Node.prototype, { focus, click } = HTMLElement.prototype
          const getter = (prototype, name) => {
            const { get } = Object.getOwnPropertyDescriptor(prototype, name)
            return object => apply(get, object, [])
          }
          const typeOf = getter(Event.prototype, 'type'), documentOf = getter(Node.prototype, 'ownerDocument')
          const windowOf = getter(Document.prototype, 'defaultView'), elementsOf = getter(HTMLFormElement.prototype, 'elements')
          const cancel = event => apply(preventDefault, event, [])
          const inputTypeOf = getter(HTMLInputElement.prototype, 'type'), targetOf = getter(Event.prototype, 'target')
          const pickers = { __proto__: null, color: 1, date: 1, 'datetime-local': 1, month: 1, time: 1, week: 1 }
          const press = event => {
            try { if (pickers[inputTypeOf(targetOf(event))]) cancel(event) } catch {}
          }
          const guard = target => {
            apply(addEventListener, target, ['invalid', cancel, true])
            apply(addEventListener, target, ['click', press, true])
          }
          const guardTree = node => {
            const view = windowOf(documentOf(node))
            if (view) guard(view)
            guard(apply(getRootNode, node, []))
          }
          const { stopImmediatePropagation, stopPropagation } = Event.prototype
          Event.prototype.stopImmediatePropagation = function () {
            apply(['invalid', 'focusin'].includes(typeOf(this)) ? stopPropagation : stopImmediatePropagation, this, [])
          }
          // The kiosk's world does not see the lists of suggestions in closed roots.
          const { attachShadow, removeAttribute } = Element.prototype, { querySelectorAll } = DocumentFragment.prototype
          const { observe } = MutationObserver.prototype, { item } = NodeList.prototype
          const changed = getter(MutationRecord.prototype, 'target'), lengthOf = getter(NodeList.prototype, 'length')
          const lists = new MutationObserver(records => {
            for (let record = 0; record < records.length; record++) try {
              const fields = apply(querySelectorAll, apply(getRootNode, changed(records[record]), []), ['input[list]'])
              for (let field = lengthOf(fields); field--;) apply(removeAttribute, apply(item, fields, [field]), ['list'])
            } catch {}
          })
          Element.prototype.attachShadow = function () {
            const root = apply(attachShadow, this, arguments)
            guard(root)
            apply(observe, lists, [root, { __proto__: null, subtree: true, childList: true, attributes: true }])
            return root
          }
          for (const { prototype } of [HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement, HTMLButtonElement,
            HTMLFieldSetElement, HTMLOutputElement, HTMLObjectElement, ElementInternals]) {
            const { checkValidity } = prototype
            prototype.reportValidity = function () {
              const isValid = apply(checkValidity, this, [])
              if (!isValid) try { apply(focus, this, []) } catch {}
              return isValid
            }
          }
          const { checkValidity, requestSubmit } = HTMLFormElement.prototype
          HTMLFormElement.prototype.reportValidity = function () {
            const isValid = apply(checkValidity, this, [])
            if (!isValid) [...elementsOf(this)].find(field => field.matches(':invalid:not(fieldset)'))?.focus()
            return isValid
          }
          HTMLFormElement.prototype.requestSubmit = function () {
            guardTree(this)
            return apply(requestSubmit, this, arguments)
          }
          HTMLElement.prototype.click = function () {
            guardTree(this)
            return apply(click, this, [])
          }
          EventTarget.prototype.dispatchEvent = function (event) {
            if (typeOf(event) === 'click') try { guardTree(this) } catch {}
            return apply(dispatchEvent, this, arguments)
          }
        })()
        """
}
