// SPDX-License-Identifier: Apache-2.0

import NIOPosix
import Synchronization

/// A scheduler of client work on threads of its own: one piece at a time for each address, and the addresses in turn, so that no client delays
/// others by frequent requests.
///
/// Work that may take seconds never uses all threads, unless there is only one: the rest does not wait for it, for any number of
/// addresses.
final class FairScheduler: Sendable {
    private struct Job: Sendable {
        let takesLong: Bool
        let run: @Sendable () -> Void
    }

    private struct State {
        /// The jobs of each address that has some. A client may have tens of thousands, and cancel them all at once.
        var jobs: [String: OwnedQueue<Job>] = [:]
        /// The addresses with jobs, the one whose turn it is first.
        var turns: [String] = []
        /// The addresses with a running job.
        var busy: Set<String> = []
        /// The number of running jobs that may take seconds.
        var longCount = 0

        mutating func next(_ width: Int) -> (String, Job)? {
            guard busy.count < width else { return nil }
            var turn = 0
            while turn < turns.count, !mayBegin(turns[turn], width) { turn += 1 }
            guard turn < turns.count else { return nil }
            let address = turns.remove(at: turn)
            guard let job = jobs[address]?.popFirst() else { return nil }
            if jobs[address]?.isEmpty == false { turns.append(address) } else { jobs[address] = nil }
            busy.insert(address)
            if job.takesLong { longCount += 1 }
            return (address, job)
        }

        private mutating func mayBegin(_ address: String, _ width: Int) -> Bool {
            guard !busy.contains(address) else { return false }
            return longCount < max(1, width - 1) || jobs[address]?.first?.takesLong == false
        }

        mutating func end(_ job: Job, of address: String) {
            busy.remove(address)
            if job.takesLong { longCount -= 1 }
        }
    }

    /// The addresses whose requests need other threads.
    let slowRequests = SlowRequests()
    let loopTime: EventLoopQuota
    private let state = Mutex(State())
    private let threads: NIOThreadPool
    private let width: Int

    init(threads count: Int, loopTime: EventLoopQuota = EventLoopQuota()) {
        width = count
        self.loopTime = loopTime
        threads = NIOThreadPool(numberOfThreads: count)
        threads.start()
    }

    /// Performs work when it is the address's turn.
    ///
    /// - Parameters:
    ///   - owner: the owner of the work; see ``remove(_:of:)``.
    ///   - takesLong: whether the work may take seconds; false by default.
    ///   - work: a function that is called on a thread of this.
    func add(
        for address: String, of owner: AnyObject, takesLong: Bool = false, work: @escaping @Sendable () -> Void
    ) {
        state.withLock { state in
            if state.jobs[address] == nil { state.turns.append(address) }
            let job = Job(takesLong: takesLong, run: work)
            state.jobs[address, default: OwnedQueue()].append(job, of: ObjectIdentifier(owner))
        }
        begin()
    }

    /// Removes an owner's work that has not begun, here and from ``loopTime``: its client has disconnected.
    func remove(_ owner: AnyObject, of address: String) {
        loopTime.remove(owner, of: address)
        state.withLock { state in
            state.jobs[address]?.removeAll(of: ObjectIdentifier(owner))
            guard state.jobs[address]?.isEmpty == true else { return }
            state.jobs[address] = nil
            state.turns.removeAll { $0 == address }
        }
    }

    private func begin() {
        guard let (address, job) = state.withLock({ $0.next(width) }) else { return }
        threads.submit { [self] phase in
            if case .active = phase { job.run() }
            state.withLock { $0.end(job, of: address) }
            begin()
        }
    }

    /// Waits for the running jobs; no more are started.
    func stop() {
        state.withLock { $0 = State() }
        try? threads.syncShutdownGracefully()
    }
}
