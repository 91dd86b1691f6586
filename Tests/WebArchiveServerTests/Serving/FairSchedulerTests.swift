// SPDX-License-Identifier: Apache-2.0

import Dispatch
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import WebArchiveServer

@Suite struct FairSchedulerTests {
    private final class Client: Sendable {}

    private let client = Client()

    /// An address with many requests keeps no other one waiting, and work that no client waits for any more is dropped.
    @Test func addressesTakeTurns() {
        let work = FairScheduler(threads: 1)
        let done = Mutex<[String]>([])
        let (begun, mayGoOn, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
        ended.enter()
        work.add(
            for: "a", of: client,
            work: {
                begun.signal()
                mayGoOn.wait()
                ended.leave()
            })
        begun.wait()
        for name in ["a1", "a2", "b1", "a3", "b2"] {
            ended.enter()
            work.add(
                for: String(name.prefix(1)), of: client,
                work: {
                    done.withLock { $0.append(name) }
                    ended.leave()
                })
        }
        let gone = Client()
        for address in ["a", "c"] {
            var held: Client? = Client()
            weak let weakly = held
            work.add(for: address, of: gone) { [held] in done.withLock { $0.append("\(held.debugDescription)") } }
            held = nil
            #expect(weakly != nil)
            work.remove(gone, of: address)
            #expect(weakly == nil, "work of a client that has gone holds no memory")
        }
        mayGoOn.signal()
        ended.wait()
        #expect(done.withLock { $0 } == ["a1", "b1", "a2", "b2", "a3"])
        work.stop()
        #expect(done.withLock { $0.count } == 5)
    }

    /// Work that takes long, of however many addresses, leaves a thread to the rest.
    @Test func longWorkLeavesAThreadToTheRest() {
        let work = FairScheduler(threads: 3)
        let (begun, mayGoOn, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
        let running = Mutex((now: 0, most: 0))
        for number in 0..<6 {
            ended.enter()
            work.add(for: "\(number)", of: client, takesLong: true) {
                running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                begun.signal()
                mayGoOn.wait()
                running.withLock { $0.now -= 1 }
                ended.leave()
            }
        }
        for _ in 0..<2 { begun.wait() }
        // Ends only because it does not wait for the others.
        for address in ["a", "b"] {
            let short = DispatchSemaphore(value: 0)
            work.add(for: address, of: client) { short.signal() }
            #expect(short.wait(timeout: .now() + waitingLimit) == .success)
        }
        for _ in 0..<6 { mayGoOn.signal() }
        ended.wait()
        #expect(running.withLock { $0.most } == 2)
        work.stop()
    }

    /// A client that gives up has its work forgotten, whatever there is of it, and keeps its place in the order otherwise.
    @Test func manyClientsGiveUp() {
        let work = FairScheduler(threads: 1)
        let done = Mutex<[Int]>([])
        let (begun, mayGoOn, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
        work.add(for: "a", of: client) {
            begun.signal()
            mayGoOn.wait()
        }
        begun.wait()
        let clients = (0..<20_000).map { _ in Client() }
        for (number, client) in clients.enumerated() {
            let stays = number % 5000 == 17
            if stays { ended.enter() }
            work.add(for: "a", of: client) {
                done.withLock { $0.append(number) }
                if stays { ended.leave() }
            }
        }
        for (number, client) in clients.enumerated() where number % 5000 != 17 { work.remove(client, of: "a") }
        mayGoOn.signal()
        ended.wait()
        #expect(done.withLock { $0 } == [17, 5017, 10_017, 15_017])
        work.stop()
    }

    /// The requests of an address that took long are left to workers; those of others are not.
    @Test func slowRequestsAreKnownByTheirAddress() {
        let slow = SlowRequests()
        slow.note("fast", .milliseconds(1))
        #expect(!slow.contains("fast"))
        slow.note("slow", .seconds(2))
        #expect(slow.contains("slow") && !slow.contains("fast") && !slow.contains("new"))
    }

    /// Two threads are never both at the work of one address.
    @Test func oneAtATimeForAnAddress() {
        let work = FairScheduler(threads: 2)
        let running = Mutex(0)
        let most = Mutex(0)
        let ended = DispatchGroup()
        for _ in 0..<100 {
            ended.enter()
            work.add(
                for: "a", of: client,
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
