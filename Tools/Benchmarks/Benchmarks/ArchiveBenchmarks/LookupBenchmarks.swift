// SPDX-License-Identifier: Apache-2.0

import Benchmark
import SyntheticSite
import WebArchive

/// Lookups of 100,000 URLs in an order without a pattern, all of which were looked up before.
private final class Lookups: @unchecked Sendable {
    let archive: ArchiveReader
    let texts: [String]
    let urls: [CanonicalURL]
    private var next = 0

    init(_ fixture: Fixture, entries: Int, present: Bool = true) throws {
        archive = try fixture.archive(entries)
        var generator = Generator(state: 1)
        texts = (0..<100_000).map { _ in
            fixture.site.url(Int(generator.next() % UInt64(entries))) + (present ? "" : "-not-there")
        }
        urls = try texts.map { try CanonicalURL($0) }
        for url in urls {
            guard (try archive.entry(for: url) != nil) == present else { fatalError("\(url)") }
        }
    }

    /// The numbers of the next URLs.
    func batch(_ count: Int) -> Range<Int> {
        if next + count > urls.count { next = 0 }
        defer { next += count }
        return next..<next + count
    }
}

/// SplitMix64.
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

func lookupBenchmarks(_ fixture: Fixture) {
    for entries in fixture.sizes {
        lookupBenchmark("look up, \(entries)", fixture, entries) { lookups, number in
            blackHole(try lookups.archive.entry(for: lookups.urls[number]))
        }
    }
    lookupBenchmark("look up text, 1000000", fixture, 1_000_000) { lookups, number in
        blackHole(try lookups.archive.entry(for: lookups.texts[number]))
    }
    lookupBenchmark("look up what is not there, 1000000", fixture, 1_000_000, present: false) { lookups, number in
        blackHole(try lookups.archive.entry(for: lookups.urls[number]))
    }
    lookupBenchmark("answer with headers, 1000000", fixture, 1_000_000) { lookups, number in
        blackHole(try lookups.archive.entry(for: lookups.urls[number])?.response)
    }
    lookupBenchmark("body, 1000000", fixture, 1_000_000) { lookups, number in
        blackHole(try lookups.archive.entry(for: lookups.urls[number])?.body?.bytes())
    }
}

private func lookupBenchmark(
    _ name: String, _ fixture: Fixture, _ entries: Int, present: Bool = true,
    _ work: @escaping @Sendable (Lookups, Int) throws -> Void
) {
    Benchmark(name, configuration: timed(batch: .kilo)) { benchmark, lookups in
        for number in lookups.batch(benchmark.scaledIterations.count) { try work(lookups, number) }
    } setup: {
        try Lookups(fixture, entries: entries, present: present)
    }
}
