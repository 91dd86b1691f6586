// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let archive = Target.Dependency.product(name: "WebArchive", package: "webarc")
let loading = Target.Dependency.product(name: "WebArchiveURLProtocol", package: "webarc")
let server = Target.Dependency.product(name: "WebArchiveServer", package: "webarc")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

let package = Package(
    name: "webarc-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "webarc", path: "../.."),
        // Without its traits, so that no allocator comes with it that programs do not use.
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        .target(name: "CAllocationCounter"),
        .target(name: "SyntheticSite", dependencies: [archive], swiftSettings: settings),
        .executableTarget(
            name: "make-archive", dependencies: ["SyntheticSite", archive, system], swiftSettings: settings),
        .executableTarget(
            name: "count-allocations",
            dependencies: [
                "CAllocationCounter", "SyntheticSite", archive, server, system,
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .executableTarget(name: "load-urls", dependencies: [archive, loading, system], swiftSettings: settings),
        .executableTarget(name: "open-page", dependencies: ["SyntheticSite", archive], swiftSettings: settings),
        .executableTarget(
            name: "ArchiveBenchmarks",
            dependencies: [
                "SyntheticSite", archive, system,
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Benchmarks/ArchiveBenchmarks",
            swiftSettings: settings,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ],
    swiftLanguageModes: [.v6]
)
