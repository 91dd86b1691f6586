// SPDX-License-Identifier: Apache-2.0

import Dispatch
import WebArchive
import WebArchiveBrowser

extension ChromiumControl {
    /// The documents of the page that are relevant to its bar.
    struct BarDocuments: Sendable {
        var watch = BarWatch()
        /// The kiosk's world of the present document.
        var world: String?
        /// The loaders of that document, of the main page, and of the document that was left because of its bar.
        var (current, main, left): (String?, String?, String?)
        /// Whether the next document is the main page.
        var isMainNext = false
        /// Whether the page's requests pass service workers.
        var passesWorkers = false
        /// The sessions in which closed shadow roots are being guarded, each with the next element to look into.
        var guarded: [String: FocusedHost?] = [:]
        /// Whether the navigation to the main page waits until the service workers have been removed.
        var isHomePending = false
        /// The entry of the history that Back leaves; nil unless a visitor waits for the page before.
        var entryToLeave: JSONValue?
        /// Whether the document has no bar, except one of a film or a sound, which ends by itself.
        var isWithoutBar = false
    }

    /// Checks periodically that the page shows its bar. The page's own timers do not suffice, since its scripts may clear them.
    func watchBar() {
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(BarWatch.interval.nanoseconds))) {
            [weak self] in self?.lookAtBar()
        }
    }

    private func lookAtBar() {
        guard let (page, frame, world) = barWorld else { return watchBar() }
        send(
            "Runtime.evaluate",
            [
                "expression": .string("globalThis.\(BarScript.watched)?.() ?? document.contentType"),
                "returnByValue": true,
                "uniqueContextId": .string(world),
            ], page
        ) { [weak self] response in
            self?.lookBelow(BarWatch.unreached(by: response)[...], page, frame) { [weak self] keepsPresses in
                guard let self else { return }
                changeBar { $0.isWithoutBar = BarWatch.isWithoutBar(response) }
                note(keepsPresses ? .hidden : BarWatch.Sight(of: response), page)
                watchBar()
            }
        }
    }

    /// The elements from which a page's window gets no presses.
    private static let keepers: Set = ["iframe", "frame", "object", "embed", "fencedframe", "video", "audio"]

    /// Determines whether an element below an inert bar keeps presses from it. The browser finds it in closed shadow roots as well.
    private func lookBelow(
        _ places: ArraySlice<BarWatch.Place>, _ page: String, _ frame: String,
        then finish: @escaping @Sendable (Bool) -> Void
    ) {
        guard let place = places.first else { return finish(false) }
        send("DOM.getNodeForLocation", ["x": .number(place.x), "y": .number(place.y)], page) { [weak self] response in
            // Without an element there, the window itself gets the press.
            guard let found = try? response.get(), let node = found["backendNodeId"] else {
                self?.lookBelow(places.dropFirst(), page, frame, then: finish)
                return
            }
            guard found["frameId"]?.text == frame else { return finish(true) }
            self?.send("DOM.describeNode", ["backendNodeId": node], page) { [weak self] response in
                let name = (try? response.get())?["node"]?["localName"]?.text
                if let name, Self.keepers.contains(name) { return finish(true) }
                self?.lookBelow(places.dropFirst(), page, frame, then: finish)
            }
        }
    }

    private func note(_ sight: BarWatch.Sight?, _ page: String) {
        let now = ContinuousClock.now
        if changeBar({ $0.watch.isLost(after: sight, at: now - start) }) { leave(page) }
    }

    /// Leaves a page with a lost bar for the main page. The main page itself is left by a new browser, if at all.
    func leave(_ page: String) {
        let isElsewhere = changeBar { bar in
            guard bar.current != bar.main, bar.current != bar.left else { return false }
            bar.left = bar.current
            return true
        }
        if isElsewhere { goHome(page) }
        report(isElsewhere ? .leftPage : .barLost)
    }

    /// Notes the document of a navigation to the main page. There is none if the URLs differ in their fragments alone: then the page is there
    /// already, or a different one has its URL, by a service worker or the history, and is loaded again.
    func noteMainPage(_ response: Result<JSONValue, DevToolsPipe.Failure>, _ page: String) {
        guard let response = try? response.get() else { return }
        let (isThere, isOther) = changeBar { bar in
            if let loader = response["loaderId"]?.text {
                bar.main = loader
            } else if response["errorText"] != nil {
                return (false, false)
            } else {
                bar.isMainNext = bar.current != bar.main
            }
            return (!bar.isMainNext && bar.current == bar.main, bar.isMainNext)
        }
        if isOther { send("Page.reload", [:], page) }
        if isThere { noteArrival(page) }
    }

    /// Notes the document that the page shows from now on.
    func noteDocument(_ loader: String?, _ page: String) {
        let isMain = changeBar { bar in
            bar.current = loader
            if bar.isMainNext { (bar.main, bar.isMainNext) = (loader, false) }
            return loader != nil && loader == bar.main
        }
        if isMain { noteArrival(page) }
    }

    private func noteArrival(_ page: String) {
        endBypass(page)
        report(.arrived)
    }
}

extension BarWatch.Sight {
    /// Reads the result of a check; nil for a document without a bar. Without a response there is a different document by now, or one of the
    /// browser's own, in which the kiosk has no world.
    init?(of response: Result<JSONValue, DevToolsPipe.Failure>) {
        guard let response = try? response.get() else {
            self = .unknown
            return
        }
        // A page can make a check fail by its changes to the document.
        guard response["exceptionDetails"] == nil else {
            self = .hidden
            return
        }
        guard let sight = response.words.first.flatMap({ Self(rawValue: String($0)) }) else { return nil }
        self = sight
    }
}

extension BarWatch {
    /// Reads whether a document has no bar. One of a film or a sound has none either, and runs no scripts that begin it again.
    static func isWithoutBar(_ response: Result<JSONValue, DevToolsPipe.Failure>) -> Bool {
        guard let word = (try? response.get())?.words.first else { return false }
        return Sight(rawValue: String(word)) == nil
            && !["text/html", "application/xhtml+xml", "video/", "audio/"].contains { word.hasPrefix($0) }
    }

    /// A place in a document, in CSS pixels.
    struct Place: Equatable, Sendable {
        let x, y: Int
    }

    /// Reads the places at which the bar gets no press itself.
    static func unreached(by response: Result<JSONValue, DevToolsPipe.Failure>) -> [Place] {
        guard let response = try? response.get() else { return [] }
        return response.words.dropFirst().compactMap { word in
            let numbers = word.split(separator: ",").compactMap { Int($0) }
            return numbers.count == 2 ? Place(x: numbers[0], y: numbers[1]) : nil
        }
    }
}

extension JSONValue {
    /// The words of a check's result: the sight, then places.
    fileprivate var words: [Substring] { self["result"]?["value"]?.text?.split(separator: " ") ?? [] }
}
