// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchiveReplay

@Suite struct KioskSupervisorTests {
    private func started(idle: Duration? = .seconds(120), isControlled: Bool = true) -> KioskSupervisor {
        var supervisor = KioskSupervisor(idle: idle, isControlled: isControlled)
        #expect(supervisor.handle(nil, at: .zero) == [.start])
        if isControlled { #expect(supervisor.handle(.ready, at: .zero) == []) }
        return supervisor
    }

    @Test func idleGoesBackOnce() {
        var supervisor = started()
        // Nobody was there: nothing to go back from.
        #expect(supervisor.handle(nil, at: .seconds(10)) == [])
        #expect(supervisor.handle(.used, at: .seconds(12)) == [])
        #expect(supervisor.handle(.used, at: .seconds(14)) == [])
        for second in stride(from: 15, through: 133, by: 1) {
            #expect(supervisor.handle(.answered, at: .seconds(second)).allSatisfy { $0 == .ask })
        }
        #expect(supervisor.deadline == .seconds(134))
        #expect(supervisor.handle(nil, at: .seconds(134)) == [.showMainPage])
        #expect(!supervisor.handle(nil, at: .seconds(500)).contains(.showMainPage))
    }

    @Test func neverIdle() {
        var supervisor = started(idle: nil, isControlled: false)
        #expect(supervisor.handle(.used, at: .seconds(1)) == [])
        #expect(supervisor.deadline == nil)
        #expect(supervisor.handle(nil, at: .seconds(100_000)) == [])
    }

    @Test func restartsMoreAndMoreSeldom() {
        var supervisor = started()
        var now = Duration.zero
        var delays: [Int64] = []
        for _ in 0..<8 {
            let actions = supervisor.handle(.ended("status 1"), at: now)
            guard case .tell(let text)? = actions.first else { return #expect(Bool(false)) }
            #expect(text.contains("status 1") && actions.count == 1)
            let due = supervisor.deadline ?? .zero
            delays.append((due - now).components.seconds)
            #expect(supervisor.handle(nil, at: due - .milliseconds(1)) == [])
            #expect(supervisor.handle(nil, at: due) == [.start])
            now = due
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60])
        // It ran for a minute: the next failure is a first one.
        _ = supervisor.handle(.ended("status 1"), at: now + .seconds(60))
        #expect(supervisor.deadline == now + .seconds(61))
    }

    @Test func aPageThatCrashesAgainAndAgain() {
        var supervisor = started()
        #expect(supervisor.handle(.pageCrashed, at: .seconds(1)).count == 1)
        #expect(supervisor.deadline == .seconds(2))
        #expect(supervisor.handle(nil, at: .seconds(2)) == [.showMainPage])
        _ = supervisor.handle(.pageCrashed, at: .seconds(2))
        #expect(supervisor.deadline == .seconds(4))
    }

    @Test func aPageThatDoesNotAnswer() {
        var supervisor = started()
        var asked = 0
        var now = Duration.zero
        while true {
            now = supervisor.deadline ?? .zero
            let actions = supervisor.handle(nil, at: now)
            if actions.contains(.kill) { break }
            #expect(actions == [.ask])
            asked += 1
            // It answers at first.
            if asked == 3 { #expect(supervisor.handle(.answered, at: now) == []) }
        }
        #expect(now == KioskSupervisor.askingInterval * 3 + KioskSupervisor.patience)
        #expect(supervisor.deadline == nil)
        _ = supervisor.handle(.ended("signal 9"), at: now)
        #expect(supervisor.deadline == now + .seconds(1))
    }

    /// A browser that cannot be controlled gets to the main page by a new start, at once.
    @Test func withoutControl() {
        var supervisor = started(isControlled: false)
        #expect(supervisor.deadline == nil)
        _ = supervisor.handle(.used, at: .seconds(5))
        #expect(supervisor.handle(nil, at: .seconds(125)) == [.kill])
        #expect(supervisor.handle(.ended("signal 9"), at: .seconds(125)) == [.start])
        #expect(supervisor.handle(.archiveChanged, at: .seconds(130)) == [.kill])
    }

    @Test func newArchives() {
        var supervisor = started()
        #expect(supervisor.handle(.archiveChanged, at: .seconds(1)) == [.showMainPage])
        _ = supervisor.handle(.ended("status 0"), at: .seconds(2))
        // The next start shows them.
        #expect(supervisor.handle(.archiveChanged, at: .milliseconds(2500)) == [])
    }

    @Test func stopping() {
        var supervisor = started()
        #expect(supervisor.handle(.stop, at: .seconds(1)) == [.end])
        #expect(supervisor.deadline == .seconds(6))
        #expect(supervisor.handle(nil, at: .seconds(6)) == [.kill])
        #expect(supervisor.deadline == nil)
        #expect(supervisor.handle(.ended("signal 9"), at: .seconds(6)) == [.finish])

        supervisor = started()
        _ = supervisor.handle(.ended("status 1"), at: .seconds(1))
        #expect(supervisor.handle(.stop, at: .seconds(1)) == [.finish])
    }
}
