// SPDX-License-Identifier: Apache-2.0

import Dispatch
import WebArchive
import WebArchiveBrowser
import WebArchivePresentation

extension ChromiumControl {
    /// The documents of the page that matter to its bar.
    struct BarDocuments: Sendable {
        var watch = BarWatch()
        /// The kiosk's world of the document that is shown.
        var world: String?
        /// The loaders of that document, of the main page, and of the document that was left because of its bar.
        var (current, main, left): (String?, String?, String?)
    }

    /// Looks again and again whether the page shows its bar. The page's own timers are no help, for its scripts may clear them.
    func watchBar() {
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(BarWatch.interval.nanoseconds))) {
            [weak self] in self?.lookAtBar()
        }
    }

    private func lookAtBar() {
        guard let (page, world) = barWorld else { return watchBar() }
        send(
            "Runtime.evaluate",
            [
                "expression": .string("globalThis.\(BarScript.watched)?.()"), "returnByValue": true,
                "uniqueContextId": .string(world),
            ], page
        ) { [weak self] response in
            guard let self else { return }
            note(BarWatch.Sight(of: response), page)
            watchBar()
        }
    }

    /// Leaves a page whose bar is lost for the main page. The main page itself is left by another browser, if at all.
    private func note(_ sight: BarWatch.Sight?, _ page: String) {
        let now = ContinuousClock.now
        let isElsewhere = changeBar { bar -> Bool? in
            guard bar.watch.isLost(after: sight, at: now - start) else { return nil }
            guard bar.current != bar.main, bar.current != bar.left else { return false }
            bar.left = bar.current
            return true
        }
        guard let isElsewhere else { return }
        if isElsewhere { navigate(to: mainPage, page) }
        report(isElsewhere ? .leftPage : .barLost)
    }

    /// Notes the document that a navigation to the main page makes.
    func noteMainPage(_ response: Result<JSONValue, DevToolsPipe.Failure>) {
        guard let loader = (try? response.get())?["loaderId"]?.text else { return }
        changeBar { $0.main = loader }
    }
}

extension BarWatch.Sight {
    /// The result of a look; nil for a document that has no bar. Without a response there is another document by now, or one of the browser's
    /// own, in which the kiosk has no world.
    init?(of response: Result<JSONValue, DevToolsPipe.Failure>) {
        guard let response = try? response.get() else {
            self = .unknown
            return
        }
        // A page can have a look fail by what it does to the document.
        guard response["exceptionDetails"] == nil else {
            self = .hidden
            return
        }
        guard let sight = response["result"]?["value"]?.text.flatMap(Self.init) else { return nil }
        self = sight
    }
}
