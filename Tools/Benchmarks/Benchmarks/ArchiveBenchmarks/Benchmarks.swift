// SPDX-License-Identifier: Apache-2.0

import Benchmark

let benchmarks: @Sendable () -> Void = {
    let fixture = Fixture(Environment["WEBARC_BENCHMARKS"])
    openBenchmarks(fixture)
    lookupBenchmarks(fixture)
    blockBenchmarks(fixture)
    digestBenchmarks(fixture)
}

/// Time alone, as often as four seconds allow. `batch`: how many times the work is done in one sample.
func timed(batch: BenchmarkScalingFactor = .one) -> Benchmark.Configuration {
    .init(
        // The export that the driver reads wants the throughput too.
        metrics: [.wallClock, .throughput], warmupIterations: 3, scalingFactor: batch, maxDuration: .seconds(4),
        maxIterations: 100_000)
}
