// SPDX-License-Identifier: Apache-2.0

/// A supervisor that decides the actions of a kiosk after events. It uses neither browsers nor a clock: browsers have numbers, and callers pass
/// times, as the running time of the kiosk.
struct KioskSupervisor: Sendable {
    /// An event around the kiosk. Browsers are identified by their numbers.
    enum Event: Sendable, Equatable {
        /// A browser shows the main page.
        case ready(Int)
        /// A visitor used its page.
        case used(Int)
        /// Its page responded to ``Action/check(_:)``.
        case responded(Int)
        case pageCrashed(Int)
        /// Its window was closed.
        case pageClosed(Int)
        /// It navigated from a page that kept the bar away to the main page.
        case leftPage(Int)
        /// Its page keeps the bar away, and is the main page or cannot be left.
        case barLost(Int)
        /// A visitor requested a different page by the bar.
        case leaving(Int)
        /// The requested page is there.
        case arrived(Int)
        /// Its page opens the sheet for printing as soon as it is closed.
        case printsEndlessly(Int)
        /// It exceeds its memory limit.
        case outgrown(Int)
        /// It has ended, or did not start; with the reason, for people.
        case ended(Int, String)
        /// Other archives are shown from now on.
        case archiveChanged
        /// The screen must be black from now on, or no longer.
        case blank(Bool)
        case stop
    }

    /// An action of the kiosk.
    enum Action: Sendable, Equatable {
        case start(Int)
        /// Requests a response of a browser's page, and checks its memory.
        case check(Int)
        /// Requests a browser to end.
        case end(Int)
        /// Kills it with all its processes.
        case kill(Int)
        case tell(String)
        /// No more actions follow.
        case finish
    }

    private enum Phase: Sendable, Equatable {
        case waiting(until: Duration)
        case running
        case stopping(killAt: Duration?)
        case finished
    }

    /// A started browser.
    private struct Browser: Sendable, Equatable {
        let number: Int
        let start: Duration
        var isReady = false
        /// The time of the last use of its page; nil if it is as the first visitor found it.
        var lastUse: Duration?
        var lastResponse: Duration
        var nextCheck: Duration?
        var isTold = false
        /// The time at which the requested page must be there; nil without a request.
        var arrivalEnd: Duration?
    }

    /// The interval between checks of a browser.
    static let checkInterval = Duration.seconds(3)
    /// The maximum time until a browser shows the main page.
    static let startingTime = Duration.seconds(60)
    /// The maximum time for a browser to end after the request.
    static let endingTime = Duration.seconds(5)
    /// The maximum time from the request of a page by the bar until it is there. A worker may keep it away.
    static let arrivalTime = Duration.seconds(5)

    private let idle: Duration?
    private let isControlled: Bool
    private let patience: Duration
    private var phase = Phase.waiting(until: .zero)
    private var delay = RestartDelay()
    private var lastNumber = 0
    /// The browser that visitors see, and behind it the one that replaces it as soon as it shows the main page.
    private var browsers: [Browser] = []
    /// The browsers that were killed, until they have ended and their profiles are removed.
    private var ending: Set<Int> = []
    /// The numbers of browsers that replaced an unused one, and a failed one.
    private(set) var (idleResets, restarts) = (0, 0)
    /// Whether newly started browsers show a black page.
    private(set) var isBlank = false

    /// Creates a supervisor.
    ///
    /// - Parameters:
    ///   - idle: the time without use after which the next visitor gets a new browser; nil: never.
    ///   - isControlled: whether the browser reports its pages, and responds.
    ///   - patience: a page may leave a question unanswered for so long.
    init(idle: Duration?, isControlled: Bool, patience: Duration = .seconds(30)) {
        self.idle = idle
        self.patience = patience
        self.isControlled = isControlled
    }

    /// The time at which ``handle(_:at:)`` must be called without an event.
    var deadline: Duration? {
        switch phase {
        case .waiting(let until): until
        case .running: (browsers.flatMap { [$0.nextCheck, $0.arrivalEnd] } + [idleEnd]).compactMap(\.self).min()
        case .stopping(let killAt): killAt
        case .finished: nil
        }
    }

    private var idleEnd: Duration? {
        guard let idle, browsers.count == 1, let lastUse = browsers[0].lastUse else { return nil }
        return lastUse + idle
    }

    /// Handles an event, and returns the actions to take, in this order.
    ///
    /// - Parameters:
    ///   - event: nil if only time has passed.
    ///   - now: the time since the start of the kiosk; never less than in the previous call.
    mutating func handle(_ event: Event?, at now: Duration) -> [Action] {
        let actions = event.map { take($0, now) } ?? []
        return actions + (phase == .finished ? [] : tick(now))
    }

    /// Handles an event, by its phase.
    private mutating func take(_ event: Event, _ now: Duration) -> [Action] {
        if case .ended(let number, _) = event { ending.remove(number) }
        switch (event, phase) {
        case (.stop, .running), (.stop, .waiting):
            phase = .stopping(killAt: now + Self.endingTime)
            let ends = browsers.map { Action.end($0.number) }
            forgetAll()
            return ends + finished()
        case (.ended, .stopping):
            return finished()
        case (.archiveChanged, .running):
            return succeed(now)
        case (.blank(let isNow), _):
            guard isBlank != isNow else { return [] }
            isBlank = isNow
            return phase == .running ? succeed(now) : []
        case (_, .running):
            return takeFromBrowser(event, now)
        default:
            // A late event, from a browser that has ended.
            return []
        }
    }

    /// Handles an event of a browser while the kiosk runs; one of a replaced browser has no effect.
    private mutating func takeFromBrowser(_ event: Event, _ now: Duration) -> [Action] {
        switch event {
        case .ready(let number):
            guard let index = index(number) else { return [] }
            browsers[index].isReady = true
            browsers[index].lastResponse = now
            return killed(before: index)
        case .responded(let number):
            if let index = index(number) { browsers[index].lastResponse = now }
        case .used(let number):
            // A touch on a black screen leaves no traces.
            if let index = index(number), !isBlank { browsers[index].lastUse = now }
        case .pageCrashed(let number):
            return replace(number, "the page crashed", now)
        case .pageClosed(let number):
            return replace(number, "the window was closed", now)
        case .leftPage(let number):
            guard index(number) != nil else { return [] }
            idleResets += 1
            return [.tell("a page removed the bar; the kiosk returned to the main page")]
        case .barLost(let number):
            return replaceUsed(number, "the main page removes the bar", now)
        case .leaving(let number):
            if let index = index(number) {
                browsers[index].arrivalEnd = browsers[index].arrivalEnd ?? now + Self.arrivalTime
            }
        case .arrived(let number):
            if let index = index(number) { browsers[index].arrivalEnd = nil }
        case .printsEndlessly(let number):
            return replaceUsed(number, "the page opens the print dialog again and again", now)
        case .outgrown(let number):
            return replace(number, "the page exceeds the memory limit, including stored data", now)
        case .ended(let number, let reason):
            let actions = replace(number, "the browser exited (\(reason))", now)
            ending.remove(number)
            return actions.filter { $0 != .kill(number) }
        case .archiveChanged, .blank, .stop:
            break
        }
        return []
    }

    /// Performs due actions: a start, the end of an unused browser, or the next check.
    private mutating func tick(_ now: Duration) -> [Action] {
        switch phase {
        case .waiting(let until) where until <= now:
            phase = .running
            return start(now)
        case .stopping(let killAt?) where killAt <= now:
            phase = .stopping(killAt: nil)
            return ending.sorted().map { .kill($0) }
        case .running:
            if let idleEnd, idleEnd <= now {
                idleResets += 1
                return succeed(now)
            }
            for browser in browsers where browser.arrivalEnd.map({ $0 <= now }) == true {
                idleResets += 1
                return replace(browser.number, "the page keeps a visitor from leaving it", now) + tick(now)
            }
            for index in browsers.indices {
                guard let due = browsers[index].nextCheck, due <= now else { continue }
                let browser = browsers[index]
                if !browser.isReady, now - browser.start >= Self.startingTime {
                    return replace(browser.number, "the browser shows no page", now) + tick(now)
                }
                if browser.isReady, now - browser.lastResponse >= patience {
                    return replace(browser.number, "the page does not respond", now) + tick(now)
                }
                browsers[index].nextCheck = now + Self.checkInterval
                return [.check(browser.number)]
            }
            return []
        default:
            return []
        }
    }

    private func index(_ number: Int) -> Int? { browsers.firstIndex { $0.number == number } }

    private mutating func start(_ now: Duration) -> [Action] {
        lastNumber += 1
        browsers.append(
            Browser(
                number: lastNumber, start: now, lastResponse: now,
                nextCheck: isControlled ? now + Self.checkInterval : nil))
        return [.start(lastNumber)]
    }

    /// Starts a browser without traces of the former visitor for the next one.
    private mutating func succeed(_ now: Duration) -> [Action] {
        // The next visitor may still see the previous page.
        let outdated = killed(from: isControlled ? 1 : 0)
        return outdated + start(now)
    }

    /// Replaces a page that defeats visitors, after use. An unused main page would do so again.
    private mutating func replaceUsed(_ number: Int, _ reason: String, _ now: Duration) -> [Action] {
        guard let index = index(number), browsers.count == 1 else { return [] }
        if browsers[index].lastUse != nil {
            idleResets += 1
            // The page itself may pretend use: the next browser comes later and later.
            return replace(number, reason, now)
        }
        guard !browsers[index].isTold else { return [] }
        browsers[index].isTold = true
        return [.tell(reason)]
    }

    /// Ends a failed browser, and starts a new one, with growing delays if that happens repeatedly.
    private mutating func replace(_ number: Int, _ reason: String, _ now: Duration) -> [Action] {
        guard let index = index(number) else { return [] }
        if index == 0, browsers.count > 1 { return killed(before: 1) }
        restarts += 1
        let wait = delay.delay(afterRunOf: now - browsers[index].start)
        phase = .waiting(until: now + wait)
        return [
            .tell("\(reason); the browser restarts\(wait == .zero ? "" : " in \(wait.components.seconds) s")")
        ]
            + killed(from: 0)
    }

    private mutating func killed(before end: Int) -> [Action] { kill(0..<end) }

    private mutating func killed(from start: Int) -> [Action] { kill(min(start, browsers.count)..<browsers.count) }

    private mutating func kill(_ range: Range<Int>) -> [Action] {
        let numbers = browsers[range].map(\.number)
        browsers.removeSubrange(range)
        ending.formUnion(numbers)
        return numbers.map { .kill($0) }
    }

    private mutating func forgetAll() {
        ending.formUnion(browsers.map(\.number))
        browsers = []
    }

    private mutating func finished() -> [Action] {
        guard ending.isEmpty else { return [] }
        phase = .finished
        return [.finish]
    }
}
