// SPDX-License-Identifier: Apache-2.0

import Dispatch
import WebArchive
import WebArchiveBrowser
import WebArchivePresentation

extension ChromiumControl {
    /// The documents of the page that are relevant to its bar.
    struct BarDocuments: Sendable {
        var watch = BarWatch()
        /// The kiosk's world of the present document.
        var world: String?
        /// The loaders of that document, of the main page, and of the document that was left because of its bar.
        var (current, main, left): (String?, String?, String?)
    }

    /// Checks periodically that the page shows its bar. The page's own timers do not suffice, since its scripts may clear them.
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

    /// Leaves a page with a lost bar for the main page. The main page itself is left by a new browser, if at all.
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

    /// Notes the document of a navigation to the main page.
    func noteMainPage(_ response: Result<JSONValue, DevToolsPipe.Failure>) {
        guard let loader = (try? response.get())?["loaderId"]?.text else { return }
        changeBar { $0.main = loader }
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
        guard let sight = response["result"]?["value"]?.text.flatMap(Self.init) else { return nil }
        self = sight
    }
}
