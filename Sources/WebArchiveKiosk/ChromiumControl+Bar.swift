// SPDX-License-Identifier: Apache-2.0

import Dispatch
import WebArchive

extension ChromiumControl {
    /// Performs a visitor's request by the bar. Scripts of pages cannot send one.
    ///
    /// - Parameter request: the report of the bar, without its prefix.
    func take(barRequest request: Substring, _ page: String) {
        let words = request.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let value = words.count > 1 ? String(words[1]) : ""
        switch words.first {
        case "home":
            report(.leaving)
            goHome(page)
        case "back": goBack(page)
        case "go" where value.hasPrefix("http://") || value.hasPrefix("https://"): navigate(to: value, page)
        case "zoom": keepZoom(Double(value).map { min(max($0, 0.5), 3) } ?? 1, page)
        case "type": send("Input.insertText", ["text": .string(value)], page)
        case "erase": press("Backspace", code: 8, page)
        case "enter": press("Enter", code: 13, text: "\r", page)
        default: break
        }
    }

    /// Navigates to the main page, past the service workers of its origin: one could give any page of an archive under that URL, and a page can
    /// register it again as long as it is there.
    func goHome(_ page: String) {
        changeBar { ($0.entryToLeave, $0.isMainNext, $0.passesWorkers, $0.isHomePending) = (nil, false, true, true) }
        // Nothing of the traffic is kept.
        send(
            "Network.enable", ["maxTotalBufferSize": 0, "maxResourceBufferSize": 0, "maxPostDataSize": 0], page)
        send("Network.setBypassServiceWorker", ["bypass": true], page)
        // Before the main page, which may register its own. A worker that is registered meanwhile gives later pages, and Home passes it again.
        guard let url = try? CanonicalURL(parsing: mainPage) else { return beginHome(page) }
        let origin = JSONValue.string(String(decoding: url.root, as: UTF8.self))
        send("Storage.clearDataForOrigin", ["origin": origin, "storageTypes": "service_workers"], page) {
            [weak self] _ in self?.beginHome(page)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patienceWithWorkers) { [weak self] in
            self?.beginHome(page)
        }
    }

    /// The time after which Home does not wait for the removal of service workers.
    private static let patienceWithWorkers = DispatchTimeInterval.milliseconds(500)

    private func beginHome(_ page: String) {
        let isPending = changeBar { bar in
            defer { bar.isHomePending = false }
            return bar.isHomePending
        }
        if isPending { navigate(to: mainPage, page) }
    }

    /// Ends what ``goHome(_:)`` began, once the main page is there.
    func endBypass(_ page: String) {
        let isEnd = changeBar { bar in
            defer { bar.passesWorkers = false }
            return bar.passesWorkers
        }
        guard isEnd else { return }
        send("Network.setBypassServiceWorker", ["bypass": false], page)
        send("Network.disable", [:], page)
    }

    func navigate(to url: String, _ page: String) {
        send("Page.navigate", ["url": .string(url)], page) { [weak self] response in
            if let self, url == mainPage { noteMainPage(response, page) }
        }
    }

    private func goBack(_ page: String) {
        send("Page.getNavigationHistory", [:], page) { [weak self] response in
            guard let self, let history = try? response.get(), let current = history.currentEntry,
                current.index >= 1, let entry = history["entries"]?.items[current.index - 1]["id"]
            else { return }
            report(.leaving)
            changeBar { $0.entryToLeave = current.id }
            send("Page.navigateToHistoryEntry", ["entryId": entry], page)
        }
    }

    /// Reports the arrival after Back, once a navigation has ended at a different entry of the history. A page adds entries of its own
    /// by `pushState`, which does not count. Going back has no response of its own, and the history alone does not show it:
    /// it has the requested entry as the current one from the request on, though a worker may keep it.
    func noteNavigation(_ page: String) {
        guard changeBar({ $0.entryToLeave }) != nil else { return }
        send("Page.getNavigationHistory", [:], page) { [weak self] response in
            guard let self, let current = (try? response.get())?.currentEntry else { return }
            let hasArrived = changeBar { bar in
                guard let entry = bar.entryToLeave, entry != current.id else { return false }
                bar.entryToLeave = nil
                return true
            }
            if hasArrived { report(.arrived) }
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

extension JSONValue {
    /// The present entry of a navigation history.
    fileprivate var currentEntry: (index: Int, id: JSONValue)? {
        guard let index = self["currentIndex"]?.number.flatMap({ Int(exactly: $0) }),
            let entries = self["entries"]?.items,
            entries.indices.contains(index), let id = entries[index]["id"]
        else { return nil }
        return (index, id)
    }
}
