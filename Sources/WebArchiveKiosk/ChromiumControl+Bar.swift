// SPDX-License-Identifier: Apache-2.0

import WebArchivePresentation

extension ChromiumControl {
    /// Performs a visitor's request by the bar. Scripts of pages cannot send one.
    ///
    /// - Parameter request: the report of the bar, without its prefix.
    func take(barRequest request: Substring, _ page: String) {
        let words = request.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let value = words.count > 1 ? String(words[1]) : ""
        switch words.first {
        case "home": navigate(to: mainPage, page)
        case "back": rollBack(page)
        case "go" where value.hasPrefix("http://") || value.hasPrefix("https://"): navigate(to: value, page)
        case "zoom": keepZoom(Double(value).map { min(max($0, 0.5), 3) } ?? 1, page)
        case "type": send("Input.insertText", ["text": .string(value)], page)
        case "erase": press("Backspace", code: 8, page)
        case "enter": press("Enter", code: 13, text: "\r", page)
        default: break
        }
    }

    func navigate(to url: String, _ page: String) {
        send("Page.navigate", ["url": .string(url)], page) { [weak self] response in
            if let self, url == mainPage { noteMainPage(response) }
        }
    }

    private func rollBack(_ page: String) {
        send("Page.getNavigationHistory", [:], page) { [weak self] response in
            guard let history = try? response.get(), let current = history["currentIndex"]?.number,
                let items = history["entries"]?.items, current >= 1, Int(current) < items.count,
                let entry = items[Int(current) - 1]["id"]
            else { return }
            self?.send("Page.navigateToHistoryEntry", ["entryId": entry], page)
        }
    }

    /// Sends a key to the page like a keyboard.
    private func press(_ key: String, code: Int, text: String? = nil, _ page: String) {
        for type in ["rawKeyDown", "char", "keyUp"] where type != "char" || text != nil {
            send(
                "Input.dispatchKeyEvent",
                [
                    "type": .string(type), "key": .string(key), "code": .string(key),
                    "windowsVirtualKeyCode": .number(code), "text": .string(type == "char" ? text ?? "" : ""),
                ], page)
        }
    }

    /// Applies a zoom to all later pages; it ends with the browser, like all state of a visitor.
    private func keepZoom(_ zoom: Double, _ page: String) {
        if let former = takeZoomScript() {
            send("Page.removeScriptToEvaluateOnNewDocument", ["identifier": .string(former)], page)
        }
        send(
            "Page.addScriptToEvaluateOnNewDocument",
            ["source": .string("globalThis.webarcZoom = \(zoom)"), "worldName": .string(PageScript.world)], page
        ) { [weak self] response in
            self?.noteZoomScript((try? response.get())?["identifier"]?.text)
        }
    }
}
