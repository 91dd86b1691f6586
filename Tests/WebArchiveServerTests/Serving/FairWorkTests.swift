// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import Testing

@testable import WebArchiveServer

@Suite struct FairWorkTests {
    /// An address that asks often keeps no other one waiting, and work that nobody waits for any more is left out.
    @Test func addressesTakeTurns() {
        let work = FairWork(threads: 1)
        let done = Mutex<[String]>([])
        let (begun, mayGoOn, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
        ended.enter()
        work.add(
            for: "a", isWanted: { true },
            work: {
                begun.signal()
                mayGoOn.wait()
                ended.leave()
            })
        begun.wait()
        for name in ["a1", "a2", "b1", "a3", "b2"] {
            ended.enter()
            work.add(
                for: String(name.prefix(1)), isWanted: { true },
                work: {
                    done.withLock { $0.append(name) }
                    ended.leave()
                })
        }
        work.add(for: "a", isWanted: { false }, work: { done.withLock { $0.append("unwanted") } })
        mayGoOn.signal()
        ended.wait()
        #expect(done.withLock { $0 } == ["a1", "b1", "a2", "b2", "a3"])
        work.stop()
        #expect(done.withLock { !$0.contains("unwanted") })
    }

    /// Two threads are never both at the work of one address.
    @Test func oneAtATimeForAnAddress() {
        let work = FairWork(threads: 2)
        let running = Mutex(0)
        let most = Mutex(0)
        let ended = DispatchGroup()
        for _ in 0..<100 {
            ended.enter()
            work.add(
                for: "a", isWanted: { true },
                work: {
                    let count = running.withLock { count in
                        count += 1
                        return count
                    }
                    most.withLock { $0 = max($0, count) }
                    running.withLock { $0 -= 1 }
                    ended.leave()
                })
        }
        ended.wait()
        work.stop()
        #expect(most.withLock { $0 } == 1)
    }
}
