import Benchmark
import CWebArchiveKernels
import WebArchive

let benchmarks: @Sendable () -> Void = {
    Benchmark("CRC-32", configuration: .init(scalingFactor: .kilo)) { benchmark in
        let bytes = [UInt8](repeating: 1, count: 4096)
        for _ in benchmark.scaledIterations { blackHole(Checksum.of(bytes)) }
        blackHole(webarchive_md5_lane_count())
    }
}
