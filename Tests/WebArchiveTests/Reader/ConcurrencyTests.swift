// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

/// One reader serves any number of threads. Worth running with the thread sanitizer as well.
@Suite struct ConcurrencyTests {
    @Test(arguments: [FileByteSource.Access.positional, .mapped])
    func manyThreadsReadOneArchive(access: FileByteSource.Access) throws {
        var random = SeededGenerator.printed()
        let folder = try TemporaryFolder()
        var generator = ExchangeGenerator(SeededGenerator(seed: random.next()), blockLength: 4096)
        var commits = generator.commits(2, of: 60).commits
        // Blocks that bodies share go through a cache; there are more of them than it holds.
        let shared = (0..<40).map { _ in random.text(4000) }
        let path = folder.path("a.webarc")
        for number in commits.indices {
            let writer =
                try number == 0
                ? ArchiveWriter(creating: path, options: .init(blockExponent: 12)) : ArchiveWriter(appendingTo: path)
            for exchange in commits[number] { try exchange.write(to: writer) }
            for (blockNumber, text) in shared.enumerated() where blockNumber % 2 == number {
                let block = try text.withBytes { (bytes) throws(ArchiveError) in
                    try writer.builder.appendBlock(bytes, length: 4000, isCompressed: false, dictionary: 0)
                }
                for part in 0..<4 {
                    let body = Array(text[part * 1000..<part * 1000 + 1000])
                    let reference = try writer.builder.register(
                        ContentDigest(hashing: body), length: 1000, block: block, offset: UInt32(part * 1000))
                    let exchange = Exchange("http://shared.example/\(blockNumber)/\(part)", body: body)
                    try writer.add(exchange.request, response: exchange.response, body: reference)
                    commits[number].append(exchange)
                }
            }
            try writer.commit()
        }
        let truth = Commits(commits)
        // A reader for each round, so that its pages and caches are empty when the threads begin.
        for _ in 0..<4 {
            let reader = try ArchiveReader(path: path, access: access)
            let seeds = (0..<8).map { _ in random.next() }
            let problems = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                var random = SeededGenerator(seed: seeds[thread])
                let rows = truth.rowsOfCommits.enumerated().flatMap { commit, rows in rows.indices.map { (commit, $0) }
                }
                for (commit, row) in rows.shuffled(using: &random) {
                    let exchange = truth.rowsOfCommits[commit][row]
                    let place = RowPlace(commit: UInt32(commit), row: UInt32(row))
                    let outcome = exchange.outcome(of: ArchiveEntry(place, of: reader))
                    let wrong = outcome.differences + outcome.errors.map(\.description)
                    let found = try? reader.captures(
                        of: CanonicalURL(exchange.key), method: exchange.request.method,
                        bodyDigest: exchange.requestDigest)
                    let expected = truth.captures(exchange.key, exchange.request.method, exchange.requestDigest).count
                    problems.withLock {
                        $0 += wrong
                        if found?.count != expected { $0.append("\(exchange.key): not \(expected) answers") }
                    }
                }
            }
            #expect(problems.withLock { $0 } == [], "seed \(random.seed)")
        }
    }
}
