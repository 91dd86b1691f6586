// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import WebArchive
import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Times the URL loading system with an archive in it, and without.
///
///     load-urls page constant|bundle|recording REQUESTS FOLDER    seconds for a small page
///     load-urls body ARCHIVE URL LENGTH LOADS                     seconds for a long body, each time
///     load-urls network plain|recorded URLS ARCHIVE               seconds for all URLs of a file, from their server
@main
enum LoadURLs {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("page", 4): try page(arguments[1], requests: Int(arguments[2])!, folder: FilePath(arguments[3]))
        case ("body", 5):
            try body(arguments[1], URL(string: arguments[2])!, Int(arguments[3])!, loads: Int(arguments[4])!)
        case ("network", 4): try network(arguments[1], arguments[2], FilePath(arguments[3]))
        default: fatalError("usage: see the source")
        }
    }

    private static func page(_ mode: String, requests: Int, folder: FilePath) throws {
        let path = folder.appending("page.webarc")
        var configuration = ConstantProtocol.configuration
        if mode != "constant" {
            configuration = .default
            try Page.write(to: path, at: .now())
            switch mode {
            case "bundle": configuration.install(bundles: [try ArchiveReader(path: path)])
            case "recording": configuration.install(try RecordingArchive(path: path))
            default: fatalError("page constant|bundle|recording")
            }
        }
        let loader = Loader(configuration)
        func load(_ count: Int) throws {
            for _ in 0..<count {
                guard try loader.load(Page.url) == Page.body.count else { fatalError("another body") }
            }
        }
        try load(requests / 10)
        let seconds = try ContinuousClock().seconds { try load(requests) }
        print(#"{"seconds": \#(seconds / Double(requests))}"#)
    }

    private static func body(_ archive: String, _ url: URL, _ length: Int, loads: Int) throws {
        let configuration = URLSessionConfiguration.default
        configuration.install(bundles: [try ArchiveReader(path: FilePath(archive))])
        let loader = Loader(configuration)
        let times = try (0..<loads).map { _ in
            try ContinuousClock().seconds {
                guard try loader.load(url) == length else { fatalError("another length") }
            }
        }
        print(#"{"seconds": \#(times)}"#)
    }

    private static func network(_ mode: String, _ list: String, _ path: FilePath) throws {
        let urls = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").map {
            URL(string: String($0))!
        }
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = nil
        var archive: RecordingArchive?
        if mode == "recorded" {
            let recording = try RecordingArchive(path: path)
            configuration.install(recording)
            archive = recording
        }
        let loader = Loader(configuration)
        let seconds = try ContinuousClock().seconds { for url in urls { try loader.load(url) } }
        let closing = try ContinuousClock().seconds { try archive?.close() }
        if let archive, archive.droppedCount > 0 || archive.reader?.entryCount != urls.count {
            fatalError("not everything was recorded")
        }
        print(#"{"seconds": \#(seconds), "closing": \#(closing)}"#)
    }
}
