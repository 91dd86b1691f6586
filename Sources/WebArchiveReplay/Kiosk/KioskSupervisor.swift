// SPDX-License-Identifier: Apache-2.0

/// Decides what a kiosk does when something happens. It knows neither browser nor clock: times are given to it, as how long the
/// kiosk has been there.
struct KioskSupervisor: Sendable {
    enum Event: Sendable, Equatable {
        /// The browser has a page, and can be controlled.
        case ready
        /// Somebody used the page.
        case used
        /// The page answered ``Action/ask``.
        case answered
        case pageCrashed
        /// The browser is gone, or did not start; why, for people.
        case ended(String)
        /// Other archives are shown from now on.
        case archiveChanged
        case stop
    }

    enum Action: Sendable, Equatable {
        case start
        case showMainPage
        /// Asks the page for an answer.
        case ask
        /// Asks the browser to end.
        case end
        /// Ends it without asking.
        case kill
        case tell(String)
        /// Nothing more is to come.
        case finish
    }

    private enum Phase: Sendable, Equatable {
        case waiting(until: Duration)
        case running(since: Duration)
        /// Killed because the main page was wanted, and it has no other way to it.
        case restarting
        case stopping(killAt: Duration?)
        case finished
    }

    /// Between two questions to the page, and how long it may leave them unanswered.
    static let askingInterval = Duration.seconds(15)
    static let patience = Duration.seconds(90)
    /// How long a browser that was asked to end may take.
    static let endingTime = Duration.seconds(5)

    private let idle: Duration?
    private let isControlled: Bool
    private var phase = Phase.waiting(until: .zero)
    private var browserDelay = RestartDelay()
    private var pageDelay = RestartDelay()
    private var pageShown = Duration.zero
    private var pageDue: Duration?
    /// When the page was used last; nil since it is as the first visitor found it.
    private var lastUse: Duration?
    private var lastAnswer = Duration.zero
    private var nextQuestion: Duration?

    /// - Parameters:
    ///   - idle: without use for so long, the kiosk goes back to the main page; nil: never.
    ///   - isControlled: whether the browser can be told to show a page; otherwise it is started anew.
    init(idle: Duration?, isControlled: Bool) {
        self.idle = idle
        self.isControlled = isControlled
    }

    /// When ``handle(_:at:)`` has to be called without an event.
    var deadline: Duration? {
        switch phase {
        case .waiting(let until): until
        case .running: [pageDue, nextQuestion, idleEnd].compactMap(\.self).min()
        case .stopping(let killAt): killAt
        case .restarting, .finished: nil
        }
    }

    private var idleEnd: Duration? {
        guard let idle, let lastUse else { return nil }
        return lastUse + idle
    }

    /// What is to be done, in this order.
    ///
    /// - Parameter event: nil if only time has passed.
    mutating func handle(_ event: Event?, at now: Duration) -> [Action] {
        let actions = event.map { take($0, now) } ?? []
        return actions + (phase == .finished ? [] : tick(now))
    }

    private mutating func take(_ event: Event, _ now: Duration) -> [Action] {
        switch (event, phase) {
        case (.stop, .running), (.stop, .restarting):
            phase = .stopping(killAt: now + Self.endingTime)
            return [.end]
        case (.stop, .waiting):
            phase = .finished
            return [.finish]
        case (.ended, .stopping):
            phase = .finished
            return [.finish]
        case (.ended, .restarting):
            return started(now)
        case (.ended(let reason), .running(let since)):
            let delay = browserDelay.delay(afterRunOf: now - since)
            phase = .waiting(until: now + delay)
            return [.tell("the browser ended (\(reason)); it is started again in \(delay.components.seconds) s")]
        case (.ready, .running):
            lastAnswer = now
            nextQuestion = now + Self.askingInterval
        case (.answered, .running):
            lastAnswer = now
        case (.used, .running):
            lastUse = now
        case (.pageCrashed, .running):
            let delay = pageDelay.delay(afterRunOf: now - pageShown)
            pageDue = now + delay
            return [.tell("the page crashed; the main page is shown in \(delay.components.seconds) s")]
        case (.archiveChanged, .running):
            return showMainPage(now)
        default:
            // What comes late, from a browser that is gone.
            break
        }
        return []
    }

    private mutating func tick(_ now: Duration) -> [Action] {
        switch phase {
        case .waiting(let until) where until <= now:
            return started(now)
        case .stopping(let killAt?) where killAt <= now:
            phase = .stopping(killAt: nil)
            return [.kill]
        case .running:
            if let pageDue, pageDue <= now { return showMainPage(now) }
            if let idleEnd, idleEnd <= now { return showMainPage(now) }
            guard let question = nextQuestion, question <= now else { return [] }
            if now - lastAnswer >= Self.patience {
                nextQuestion = nil
                return [.tell("the page does not answer; the browser is ended"), .kill]
            }
            nextQuestion = now + Self.askingInterval
            return [.ask]
        default:
            return []
        }
    }

    private mutating func started(_ now: Duration) -> [Action] {
        phase = .running(since: now)
        (lastUse, pageDue, nextQuestion, pageShown) = (nil, nil, nil, now)
        if isControlled {
            lastAnswer = now
            nextQuestion = now + Self.askingInterval
        }
        return [.start]
    }

    private mutating func showMainPage(_ now: Duration) -> [Action] {
        (lastUse, pageDue, pageShown) = (nil, nil, now)
        guard isControlled else {
            phase = .restarting
            return [.kill]
        }
        return [.showMainPage]
    }
}
