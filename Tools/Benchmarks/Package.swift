// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let archive = Target.Dependency.product(name: "WebArchive", package: "webarc")

let package = Package(
    name: "webarc-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "webarc", path: "../.."),
        // Without its traits: jemalloc, which they bring, would be measured instead of the allocator that programs use.
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        .target(name: "CAllocationCounter"),
        .executableTarget(name: "make-archive", dependencies: [archive], swiftSettings: settings),
        .executableTarget(
            name: "count-allocations", dependencies: ["CAllocationCounter", archive], swiftSettings: settings),
        .executableTarget(
            name: "ArchiveBenchmarks",
            dependencies: [
                archive,
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Benchmarks/ArchiveBenchmarks",
            swiftSettings: settings,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ],
    swiftLanguageModes: [.v6]
)
