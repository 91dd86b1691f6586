// SPDX-License-Identifier: Apache-2.0

import NIOPosix
import Synchronization

/// A scheduler of client work on threads of its own: one piece at a time for each address, and the addresses in turn, so that no client delays
/// others by frequent requests.
///
/// Work that may take seconds never uses all threads, unless there is only one: the rest does not wait for it, for any number of
/// addresses.
final class FairScheduler: Sendable {
    /// A piece of work of an address.
    private struct Job: Sendable {
        /// Whether the work may take seconds.
        let takesLong: Bool
        /// The work, which is called once, or not at all after ``FairScheduler/stop()``.
        let run: @Sendable () -> Void
    }

    /// The jobs and turns of all addresses, which one lock protects.
    private struct State {
        /// The jobs of each address that has some. A client may have tens of thousands, and cancel them all at once.
        var jobs: [String: OwnedQueue<Job>] = [:]
        /// The addresses with jobs, the one whose turn it is first.
        var turns: [String] = []
        /// The addresses with a running job.
        var busy: Set<String> = []
        /// The number of running jobs that may take seconds.
        var longCount = 0

        /// Takes the next job that may begin, and marks its address as busy; nil if all threads are busy or no job may
        /// begin.
        ///
        /// It searches the turns from the first one. The address comes last again if it has further jobs.
        ///
        /// - Parameter width: the number of threads.
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

        /// Returns whether the first job of an address may begin: the address has none that runs, and a long job leaves
        /// a thread free.
        private mutating func mayBegin(_ address: String, _ width: Int) -> Bool {
            guard !busy.contains(address) else { return false }
            return longCount < max(1, width - 1) || jobs[address]?.first?.takesLong == false
        }

        /// Marks a job as ended, so that its address may have the next one.
        mutating func end(_ job: Job, of address: String) {
            busy.remove(address)
            if job.takesLong { longCount -= 1 }
        }
    }

    /// The addresses whose requests need other threads.
    let slowRequests = SlowRequests()
    /// The time that clients use on event loops; see ``remove(_:of:)``.
    let loopTime: EventLoopQuota
    /// No job runs under the lock.
    private let state = Mutex(State())
    /// The threads, which end with ``stop()``.
    private let threads: NIOThreadPool
    /// The number of threads, and so of jobs that run at once.
    private let width: Int

    /// Starts the threads. The scheduler must be stopped before it is released.
    ///
    /// - Parameters:
    ///   - count: the number of threads; with one, long work delays all other.
    ///   - loopTime: the account of time on event loops; a new one by default.
    init(threads count: Int, loopTime: EventLoopQuota = EventLoopQuota()) {
        width = count
        self.loopTime = loopTime
        threads = NIOThreadPool(numberOfThreads: count)
        threads.start()
    }

    /// Performs work when it is the address's turn.
    ///
    /// Returns at once. The queue has no limit of its own: a connection or stream has one piece of work at a time.
    ///
    /// - Parameters:
    ///   - address: the client, as ``ContentShare/client(_:)`` names it.
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
    ///
    /// Work that runs continues to its end, and its result is for the owner to drop.
    func remove(_ owner: AnyObject, of address: String) {
        loopTime.remove(owner, of: address)
        state.withLock { state in
            state.jobs[address]?.removeAll(of: ObjectIdentifier(owner))
            guard state.jobs[address]?.isEmpty == true else { return }
            state.jobs[address] = nil
            state.turns.removeAll { $0 == address }
        }
    }

    /// Begins the next job on a free thread, and after its end the one after it.
    private func begin() {
        guard let (address, job) = state.withLock({ $0.next(width) }) else { return }
        threads.submit { [self] phase in
            if case .active = phase { job.run() }
            state.withLock { $0.end(job, of: address) }
            begin()
        }
    }

    /// Waits for the running jobs; no more are started.
    ///
    /// It blocks, and must not be called on one of the threads.
    func stop() {
        state.withLock { $0 = State() }
        try? threads.syncShutdownGracefully()
    }
}
