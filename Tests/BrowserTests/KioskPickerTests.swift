// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveKiosk

extension BrowserTests {
    /// Popups of the browser above the bar.
    @Suite(.serialized, .enabled(if: isLinux)) struct KioskPickerTests {
        /// The list covers the bar, and each touch of it would let the page open it again.
        @Test func listsOfAKioskWithABar() throws {
            let screen = try Screen(hasWindowManager: true)
            let running = try RunningKiosk.attacked(on: screen) { $0.hasBar = true }
            let page = running.page
            for source in ["window", "document.body.appendChild(document.createElement('iframe')).contentWindow"] {
                _ = try page.evaluate(
                    """
                    window.settled = ''
                    window.list = document.body.appendChild(document.createElement('select'))
                    list.add(new Option('one'))
                    window.field = document.body.appendChild(document.createElement('input'))
                    field.type = 'time'
                    window.views = \(source)
                    window.onclick = () => {
                      settled = [[views.HTMLSelectElement, list], [views.HTMLInputElement, field]].map(([type, element]) => {
                        try { type.prototype.showPicker.call(element) } catch (error) { return error.name }
                      }).join()
                    }
                    0
                    """)
                page.wait("the list stays closed") {
                    try screen.click(500, 400)
                    return try page.text("settled") != ""
                }
                #expect(try page.text("settled") == "NotAllowedError,NotAllowedError")
            }
            try running.end()
        }

        /// Suggestions cover the bar, and a script that types opens them.
        @Test func suggestionsOfAKioskWithABar() throws {
            let screen = try Screen(hasWindowManager: true)
            let running = try RunningKiosk.attacked(on: screen) { $0.hasBar = true }
            let page = running.page
            let windows = screen.windowCount
            for tree in [
                "document.body",
                "document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'closed' })",
            ] {
                _ = try page.evaluate(
                    """
                    document.body.replaceChildren()
                    window.presses = 0
                    window.root = \(tree)
                    root.innerHTML = '<input list="names"><datalist id="names"><option>value one<option>value two</datalist>'
                    window.field = root.querySelector('input')
                    window.onclick = () => {
                      presses += 1
                      field.setAttribute('list', 'names')
                      field.focus()
                      field.value = ''
                      document.execCommand('insertText', false, 'v')
                    }
                    0
                    """)
                page.wait("the field gets a press in \(tree)") {
                    try screen.click(500, 400)
                    return try page.text("String(presses > 0)") == "true"
                }
                #expect(try page.text("String(field.list)") == "null", "in \(tree)")
                #expect(try page.text("field.value") == "v", "in \(tree)")
                #expect(screen.windowCount == windows, "in \(tree)")
            }
            try running.end()
        }

        /// A picker covers the bar, stays open while it is touched, and takes the keys of the browser.
        @Test func pickersOfAKioskWithABar() throws {
            let screen = try Screen(hasWindowManager: true)
            let running = try RunningKiosk.attacked(on: screen) { $0.hasBar = true }
            let page = running.page
            let windows = screen.windowCount
            for type in ["color", "date", "datetime-local", "month", "time", "week"] {
                for tree in [
                    "document.body",
                    "document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'closed' })",
                ] {
                    _ = try page.evaluate(
                        """
                        document.body.replaceChildren()
                        window.settled = ''
                        window.root = \(tree)
                        root.innerHTML = `<style>label, input { position: fixed; inset: 0; width: 100vw; height: 90vh }
                          input { height: 100px } ::-webkit-calendar-picker-indicator { position: absolute; inset: 0; width: auto; height: auto }
                          </style><label><input type="\(type)"></label>`
                        root.querySelector('input').onclick = event => { settled = String(event.defaultPrevented) }
                        0
                        """)
                    for y in [50, 400] {
                        _ = try page.evaluate("settled = ''")
                        page.wait("the field \(type) gets the press at \(y)") {
                            try screen.click(500, y)
                            return try page.text("settled") != ""
                        }
                        #expect(try page.text("settled") == "true", "\(type) at \(y) in \(tree)")
                    }
                    _ = try page.evaluate("settled = '', root.querySelector('input').click()")
                    #expect(try page.text("settled") == "true", "\(type) in \(tree)")
                }
            }
            #expect(screen.windowCount == windows)
            try running.end()
        }
    }
}
