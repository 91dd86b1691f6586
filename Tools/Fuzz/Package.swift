// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Tools/Fuzz/run builds this package: without its flags there is no coverage, and no main function either.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// A fuzz target: libFuzzer has the main function, so its one file must not be taken for a script.
func fuzzTarget(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: ["FuzzSupport"] + dependencies,
        swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])
}

let archive = Target.Dependency.product(name: "WebArchive", package: "webarc")
let replay = Target.Dependency.product(name: "WebArchiveReplay", package: "webarc")
let server = Target.Dependency.product(name: "WebArchiveServer", package: "webarc")
let updates = Target.Dependency.product(name: "WebArchiveUpdates", package: "webarc")
let packing = Target.Dependency.product(name: "WebArchivePacking", package: "webarc")
let interchange = Target.Dependency.product(name: "WebArchiveInterchange", package: "webarc")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")

let package = Package(
    name: "webarc-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "webarc", path: "../.."),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        .target(name: "CLibFuzzer"),
        .target(
            name: "FuzzSupport", dependencies: [system], swiftSettings: settings),
        .target(name: "Mutation", dependencies: ["CLibFuzzer"], swiftSettings: settings),
        .target(name: "ArchiveMutation", dependencies: ["Mutation", archive], swiftSettings: settings),
        // The function that libFuzzer asks for, apart from what other mutators use as well.
        .target(name: "ArchiveMutator", dependencies: ["ArchiveMutation", "Mutation"], swiftSettings: settings),
        .target(
            name: "Editions", dependencies: ["FuzzSupport", "Mutation", archive, system, updates],
            swiftSettings: settings),
        fuzzTarget("FuzzReader", ["ArchiveMutator", archive]),
        fuzzTarget("FuzzVerify", ["ArchiveMutator", archive]),
        fuzzTarget(
            "FuzzCommands",
            [
                "ArchiveMutator", archive, packing, replay, server,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                system,
            ]),
        fuzzTarget("FuzzDiffs", ["ArchiveMutator", "Editions", archive, system, updates]),
        fuzzTarget("FuzzManifests", ["Editions", "Mutation", archive, system, updates]),
        fuzzTarget("FuzzPatches", ["ArchiveMutation", "Editions", "Mutation", archive, crypto, system, updates]),
        fuzzTarget("FuzzStatements", ["ArchiveMutation", "Editions", "Mutation", archive, system]),
        fuzzTarget("FuzzParts", [archive]),
        fuzzTarget("FuzzHeaders", [archive, packing]),
        fuzzTarget("FuzzRedirects", [archive]),
        fuzzTarget("FuzzURLs", [archive, packing]),
        fuzzTarget("FuzzContent", [archive, packing]),
        fuzzTarget("FuzzHAR", [archive, interchange, system]),
        fuzzTarget("FuzzWARC", [archive, interchange, system]),
        fuzzTarget("FuzzZIM", [archive, interchange, system]),
        fuzzTarget("FuzzZIP", [archive, interchange, system]),
    ],
    swiftLanguageModes: [.v6]
)
