// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchiveKiosk

@Suite struct KioskSupervisorTests {
    private func started(idle: Duration? = .seconds(120), isControlled: Bool = true) -> KioskSupervisor {
        var supervisor = KioskSupervisor(idle: idle, isControlled: isControlled)
        #expect(supervisor.handle(nil, at: .zero) == [.start(1)])
        if isControlled { #expect(supervisor.handle(.ready(1), at: .zero) == []) }
        return supervisor
    }

    /// Lets time pass with a browser that responds, and gives what was done beside the checks.
    private func pass(
        _ supervisor: inout KioskSupervisor, until end: Duration, answering: Bool = true
    ) -> [KioskSupervisor.Action] {
        var others: [KioskSupervisor.Action] = []
        while let due = supervisor.deadline, due <= end, others.isEmpty {
            for action in supervisor.handle(nil, at: due) {
                if case .check(let number) = action {
                    if answering { _ = supervisor.handle(.responded(number), at: due) }
                } else {
                    others.append(action)
                }
            }
        }
        return others
    }

    @Test func theNextVisitorGetsANewBrowser() {
        var supervisor = started()
        // Nobody was there: nothing to go back from.
        #expect(pass(&supervisor, until: .seconds(500)) == [])
        _ = supervisor.handle(.used(1), at: .seconds(501))
        _ = supervisor.handle(.used(1), at: .seconds(503))
        #expect(pass(&supervisor, until: .milliseconds(622_999)) == [])
        #expect(pass(&supervisor, until: .seconds(623)) == [.start(2)])
        // The former browser is ended when the next shows the main page, without a request.
        _ = supervisor.handle(.used(1), at: .seconds(624))
        #expect(supervisor.handle(.ready(2), at: .seconds(624)) == [.kill(1)])
        #expect(supervisor.handle(.ended(1, "signal 9"), at: .seconds(625)) == [])
        #expect(pass(&supervisor, until: .seconds(2000)) == [])
    }

    @Test func aSuccessorThatShowsNothing() {
        var supervisor = started()
        _ = supervisor.handle(.used(1), at: .seconds(1))
        #expect(pass(&supervisor, until: .seconds(121)) == [.start(2)])
        let actions = pass(&supervisor, until: .seconds(200))
        #expect(actions.dropFirst() == [.kill(1), .kill(2), .start(3)], "\(actions)")
        #expect(pass(&supervisor, until: .seconds(140)) == [])
    }

    @Test func aPageThatKeepsTheBarAway() {
        var supervisor = started()
        // It has been left already.
        let left = supervisor.handle(.leftPage(1), at: .seconds(1))
        #expect(left.count == 1 && left.allSatisfy { if case .tell = $0 { true } else { false } }, "\(left)")
        #expect(supervisor.idleResets == 1)
        // A main page that no visitor used would be the same in another browser, and is reported once.
        #expect(supervisor.handle(.barLost(1), at: .seconds(1)).count == 1)
        #expect(supervisor.handle(.barLost(1), at: .seconds(2)) == [])
        #expect(supervisor.idleResets == 1)
        _ = supervisor.handle(.used(1), at: .seconds(2))
        // One that was used gets another browser, later and later: the page may only say that it was used.
        #expect(supervisor.handle(.barLost(1), at: .seconds(2)).contains(.kill(1)))
        #expect(supervisor.handle(.barLost(1), at: .seconds(2)) == [])
        #expect(supervisor.restarts == 1)
        #expect(supervisor.handle(.leftPage(1), at: .seconds(2)) == [])
        var starts: [Int] = []
        for second in 3..<120 {
            for case .start(let number) in supervisor.handle(nil, at: .seconds(second)) {
                starts.append(second)
                _ = supervisor.handle(.ready(number), at: .seconds(second))
                _ = supervisor.handle(.used(number), at: .seconds(second))
                _ = supervisor.handle(.barLost(number), at: .seconds(second))
            }
        }
        #expect(starts.count > 2 && starts.count < 12, "\(starts)")
    }

    /// A worker of a page, for example, may keep each other page away.
    @Test func aPageThatIsNotLeft() {
        var supervisor = started()
        func act(_ event: KioskSupervisor.Event, _ milliseconds: Int) -> [KioskSupervisor.Action] {
            supervisor.handle(event, at: .milliseconds(milliseconds))
        }
        _ = act(.leaving(1), 1000)
        _ = act(.arrived(1), 5999)
        #expect(pass(&supervisor, until: .seconds(20)) == [])
        _ = act(.leaving(1), 20_000)
        // Further presses give it no more time.
        _ = act(.leaving(1), 24_000)
        _ = act(.leaving(2), 24_000)
        #expect(pass(&supervisor, until: .milliseconds(24_999)) == [])
        let actions = pass(&supervisor, until: .seconds(25))
        #expect(actions.dropFirst() == [.kill(1), .start(2)], "\(actions)")
        _ = act(.ready(2), 26_000)
        #expect(pass(&supervisor, until: .seconds(60)) == [])
        #expect(supervisor.idleResets == 1)
    }

    @Test func theFormerEndsFirst() {
        var supervisor = started()
        #expect(supervisor.handle(.archiveChanged, at: .seconds(1)) == [.start(2)])
        #expect(supervisor.handle(.ended(1, "status 0"), at: .seconds(1)) == [])
        #expect(supervisor.handle(.ready(2), at: .seconds(2)) == [])
        #expect(supervisor.handle(.used(2), at: .seconds(3)) == [])
    }

    @Test func neverIdle() {
        var supervisor = started(idle: nil, isControlled: false)
        #expect(supervisor.handle(.used(1), at: .seconds(1)) == [])
        #expect(supervisor.deadline == nil)
        #expect(supervisor.handle(nil, at: .seconds(100_000)) == [])
    }

    @Test func startsAtOnceAndThenLaterAndLater() {
        var supervisor = started()
        var now = Duration.seconds(100)
        var delays: [Int64] = []
        for number in 1...8 {
            let actions = supervisor.handle(.ended(number, "status 1"), at: now)
            guard case .tell(let text)? = actions.first else { return #expect(Bool(false)) }
            #expect(text.contains("status 1"))
            // The first time it exists already.
            let due = actions.contains(.start(number + 1)) ? now : supervisor.deadline ?? .zero
            delays.append((due - now).components.seconds)
            if due > now {
                #expect(supervisor.handle(nil, at: due - .milliseconds(1)) == [])
                #expect(supervisor.handle(nil, at: due) == [.start(number + 1)])
            }
            now = due
        }
        #expect(delays == [0, 1, 2, 4, 8, 16, 32, 60])
        // It has lasted: the next failure is a first one.
        #expect(supervisor.handle(.ended(9, "status 1"), at: now + RestartDelay.lasting).last == .start(10))
    }

    @Test func aPageThatPrintsEndlessly() {
        var supervisor = started()
        #expect(supervisor.handle(.printsEndlessly(1), at: .seconds(1)).count == 1, "a main page that nobody used")
        _ = supervisor.handle(.used(1), at: .seconds(2))
        let actions = supervisor.handle(.printsEndlessly(1), at: .seconds(2))
        #expect(actions.dropFirst() == [.kill(1), .start(2)], "\(actions)")
    }

    @Test(arguments: [
        KioskSupervisor.Event.pageCrashed(1), .pageClosed(1), .outgrown(1),
    ]) func aBrowserThatMustGo(_ event: KioskSupervisor.Event) {
        var supervisor = started()
        let actions = supervisor.handle(event, at: .seconds(1))
        #expect(actions.dropFirst() == [.kill(1), .start(2)], "\(actions)")
        // A late report is from the former browser.
        #expect(supervisor.handle(event, at: .seconds(2)) == [])
        #expect(supervisor.handle(.ended(1, "signal 9"), at: .seconds(2)) == [])
    }

    @Test func aPageThatDoesNotAnswer() {
        var supervisor = started()
        #expect(pass(&supervisor, until: .seconds(30)) == [])
        let actions = pass(&supervisor, until: .seconds(59), answering: false)
        #expect(actions == [], "not before its time")
        let later = pass(&supervisor, until: .seconds(63), answering: false)
        #expect(later.dropFirst() == [.kill(1), .start(2)], "\(later)")
    }

    /// A browser that cannot be controlled gets to the main page by a new start, at once.
    @Test func withoutControl() {
        var supervisor = started(isControlled: false)
        #expect(supervisor.deadline == nil)
        _ = supervisor.handle(.used(1), at: .seconds(5))
        #expect(supervisor.handle(nil, at: .seconds(125)) == [.kill(1), .start(2)])
        #expect(supervisor.handle(.ended(1, "signal 9"), at: .seconds(125)) == [])
        #expect(supervisor.handle(.archiveChanged, at: .seconds(130)) == [.kill(2), .start(3)])
    }

    @Test func newArchives() {
        var supervisor = started()
        #expect(supervisor.handle(.archiveChanged, at: .seconds(1)) == [.start(2)])
        // One that comes may show the former.
        #expect(supervisor.handle(.archiveChanged, at: .seconds(2)) == [.kill(2), .start(3)])
        #expect(supervisor.handle(.ready(2), at: .seconds(2)) == [])
        #expect(supervisor.handle(.ready(3), at: .seconds(3)) == [.kill(1)])
    }

    @Test func stopping() {
        var supervisor = started()
        _ = supervisor.handle(.archiveChanged, at: .seconds(1))
        #expect(supervisor.handle(.stop, at: .seconds(1)) == [.end(1), .end(2)])
        #expect(supervisor.deadline == .seconds(6))
        #expect(supervisor.handle(.ended(2, "status 0"), at: .seconds(2)) == [])
        #expect(supervisor.handle(nil, at: .seconds(6)) == [.kill(1)])
        #expect(supervisor.deadline == nil)
        #expect(supervisor.handle(.ended(1, "signal 9"), at: .seconds(6)) == [.finish])

        // Not before a browser that was killed is gone with its profile.
        supervisor = started()
        _ = supervisor.handle(.pageClosed(1), at: .seconds(1))
        #expect(supervisor.handle(.stop, at: .seconds(1)) == [.end(2)])
        #expect(supervisor.handle(.ended(2, "status 0"), at: .seconds(1)) == [])
        #expect(supervisor.handle(.ended(1, "signal 9"), at: .seconds(1)) == [.finish])
    }
}
