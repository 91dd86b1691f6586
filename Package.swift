// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "webarc",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "WebArchive", targets: ["WebArchive"]),
        .library(name: "WebArchiveCaching", targets: ["WebArchiveCaching"]),
        .library(name: "WebArchiveCrawling", targets: ["WebArchiveCrawling"]),
        .library(name: "WebArchiveInterchange", targets: ["WebArchiveInterchange"]),
        .library(name: "WebArchivePacking", targets: ["WebArchivePacking"]),
        .library(name: "WebArchiveReplay", targets: ["WebArchiveReplay"]),
        .library(name: "WebArchiveServer", targets: ["WebArchiveServer"]),
        .library(name: "WebArchiveUpdateClient", targets: ["WebArchiveUpdateClient"]),
        .library(name: "WebArchiveUpdates", targets: ["WebArchiveUpdates"]),
        .library(name: "WebArchiveURLProtocol", targets: ["WebArchiveURLProtocol"]),
        .library(name: "WebArchiveWebKit", targets: ["WebArchiveWebKit"]),
        .executable(name: "webarc", targets: ["webarc"]),
        .executable(name: "webarc-net", targets: ["webarc-net"]),
        .executable(name: "webarc-server", targets: ["webarc-server"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        .systemLibrary(name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
        .systemLibrary(
            name: "CLibdeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"]), .brew(["libdeflate"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
        .systemLibrary(name: "CLZMA", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"]), .brew(["xz"])]),
        .target(name: "CWebArchiveKernels"),
        .target(name: "CWebArchiveSystem"),
        .target(name: "WebArchiveFormat", dependencies: ["CLZ4", "CLibdeflate"], swiftSettings: settings),
        .target(
            name: "WebArchive",
            dependencies: [
                "CWebArchiveKernels", "CWebArchiveSystem", "WebArchiveFormat",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .target(name: "WebArchivePresentation", dependencies: ["WebArchive"], swiftSettings: settings),
        .target(
            name: "WebArchivePacking",
            dependencies: [
                "CZstd", "WebArchive",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .target(
            name: "WebArchiveInterchange",
            dependencies: [
                "CBrotli", "CLZ4", "CLZMA", "CLibdeflate", "CZlib", "CZstd", "WebArchive", "WebArchivePresentation",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .target(
            name: "WebArchiveUpdates",
            dependencies: [
                "CZstd", "WebArchive", "WebArchiveFormat", "WebArchivePresentation",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        // The libraries for HTTP stay out of programs that read releases from folders alone.
        .target(
            name: "WebArchiveUpdateClient",
            dependencies: [
                "WebArchive", "WebArchiveUpdates",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .target(
            name: "WebArchiveReplay",
            dependencies: [
                "CLibdeflate", "CZstd", "WebArchive", "WebArchivePresentation",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .target(
            name: "WebArchiveServer",
            dependencies: [
                "WebArchive", "WebArchivePresentation", "WebArchiveReplay",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings),
        .target(
            name: "WebArchiveRecording",
            dependencies: [
                "WebArchive", "WebArchiveInterchange", "WebArchiveServer",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .target(
            name: "WebArchiveBrowser",
            dependencies: [
                "CWebArchiveSystem", "WebArchive", .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .target(
            name: "WebArchiveKiosk",
            dependencies: [
                "WebArchive", "WebArchiveBrowser", "WebArchiveReplay", "WebArchiveServer",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .target(
            name: "WebArchiveCrawling",
            dependencies: [
                "WebArchive", "WebArchiveBrowser", "WebArchiveInterchange", "WebArchivePresentation",
                "WebArchiveRecording", "WebArchiveReplay", "WebArchiveServer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .target(
            name: "WebArchiveCaching",
            dependencies: ["WebArchive", .product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: settings),
        .target(
            name: "WebArchiveURLProtocol",
            dependencies: [
                "WebArchive", "WebArchiveCaching", .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        // A handler for WKWebView on Apple's platforms; what it does is compiled and tested everywhere.
        .target(
            name: "WebArchiveWebKit",
            dependencies: [
                "WebArchive", "WebArchiveReplay",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .target(
            name: "WebarcCommandLine",
            dependencies: [
                "WebArchive", "WebArchivePresentation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        // webarc starts without the libraries of the two programs that it runs for some of its commands: those of Foundation's networking,
        // which on Linux is libcurl and its roughly 35 transitive dependencies, and SwiftNIO with TLS, which takes most of a build.
        .executableTarget(
            name: "webarc",
            dependencies: [
                "WebArchive", "WebArchiveInterchange", "WebArchivePresentation", "WebArchivePacking",
                "WebArchiveUpdates", "WebarcCommandLine",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "webarc-net",
            dependencies: [
                "WebArchive", "WebArchivePresentation", "WebArchiveURLProtocol", "WebarcCommandLine",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "webarc-server",
            dependencies: [
                "WebArchive", "WebArchivePresentation", "WebArchiveBrowser", "WebArchiveCrawling", "WebArchiveKiosk",
                "WebArchiveRecording",
                "WebArchiveReplay", "WebArchiveServer", "WebArchiveUpdateClient", "WebArchiveUpdates",
                "WebarcCommandLine",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "OfflineReader",
            dependencies: ["WebArchiveURLProtocol", .product(name: "SystemPackage", package: "swift-system")],
            path: "Tools/Samples/OfflineReader", swiftSettings: settings),
        .target(
            name: "TestSupport",
            dependencies: [
                "WebArchive", "WebArchiveReplay",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(
            name: "CWebArchiveKernelsTests", dependencies: ["CWebArchiveKernels"], swiftSettings: settings),
        .testTarget(
            name: "WebArchiveFormatTests", dependencies: ["TestSupport", "WebArchiveFormat"], swiftSettings: settings),
        .testTarget(
            name: "WebArchiveTests",
            dependencies: [
                "TestSupport", "WebArchive", .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WebArchivePresentationTests", dependencies: ["WebArchive", "WebArchivePresentation"],
            swiftSettings: settings),
        .testTarget(
            name: "WebArchivePackingTests",
            dependencies: [
                "TestSupport", "WebArchive", "WebArchivePacking",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WebArchiveInterchangeTests",
            dependencies: [
                "CZstd", "TestSupport", "WebArchive", "WebArchiveInterchange",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WebArchiveUpdatesTests",
            dependencies: [
                "TestSupport", "WebArchive", "WebArchivePacking", "WebArchiveUpdateClient", "WebArchiveUpdates",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WebArchiveReplayTests",
            dependencies: [
                "TestSupport", "WebArchive", "WebArchiveReplay",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WebArchiveServerTests",
            dependencies: [
                "TestSupport", "WebArchive", "WebArchivePresentation", "WebArchiveReplay", "WebArchiveServer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WebArchiveRecordingTests",
            dependencies: [
                "TestSupport", "WebArchive", "WebArchiveInterchange", "WebArchiveRecording", "WebArchiveServer",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WebArchiveBrowserTests",
            dependencies: [
                "TestSupport", "WebArchive", "WebArchiveBrowser", "WebArchiveServer",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WebArchiveKioskTests",
            dependencies: [
                "TestSupport", "WebArchive", "WebArchiveKiosk", "WebArchiveServer",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WebArchiveCrawlingTests",
            dependencies: [
                "TestSupport", "WebArchive", "WebArchiveCrawling", "WebArchiveReplay",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WebArchiveCachingTests",
            dependencies: [
                "TestSupport", "WebArchive", "WebArchiveCaching",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WebArchiveURLProtocolTests",
            dependencies: [
                "OfflineReader", "TestSupport", "WebArchive", "WebArchivePacking", "WebArchiveURLProtocol",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WebArchiveWebKitTests",
            dependencies: ["TestSupport", "WebArchive", "WebArchiveReplay", "WebArchiveWebKit"],
            swiftSettings: settings),
        .testTarget(
            name: "BrowserTests",
            dependencies: [
                "TestSupport", "WebArchive", "WebArchiveBrowser", "WebArchiveCrawling", "WebArchiveKiosk",
                "WebArchiveRecording", "WebArchiveReplay", "WebArchiveServer", "webarc", "webarc-server",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SpecConformanceTests",
            dependencies: [
                "TestSupport", "WebArchive", "WebArchiveUpdateClient", "WebArchiveUpdates",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "TestSupport", "WebArchive", "WebArchivePresentation", "WebArchivePacking", "WebarcCommandLine",
                "webarc", "webarc-net",
                "webarc-server",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
