// SPDX-License-Identifier: Apache-2.0

import Benchmark
import SyntheticSite
import WebArchive

func openBenchmarks(_ fixture: Fixture) {
    for entries in fixture.sizes {
        let path = fixture.path(entries)
        Benchmark("open \(entries)", configuration: timed()) { _ in
            blackHole(try ArchiveReader(path: path))
        }
        // Nothing of it is in memory but in the system's page cache.
        let url = try? CanonicalURL(fixture.site.url(3))
        Benchmark("open \(entries) and look up", configuration: timed()) { _ in
            guard let url, let entry = try ArchiveReader(path: path).entry(for: url) else { fatalError("not found") }
            blackHole(entry)
        }
    }
}
