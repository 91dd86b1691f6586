// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter
import Logging
import SyntheticSite
import SystemPackage
import WebArchive
import WebArchiveServer

/// Counts the heap allocations of opening an archive, looking up, matching, reading and serving, and prints them as JSON.
///
///     count-allocations ENTRIES packed|recorded PATHS ARCHIVE
@main
enum CountAllocations {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let count = Int(arguments[1]),
            let headers = SyntheticSite.Headers(rawValue: arguments[2])
        else { fatalError("usage: count-allocations ENTRIES packed|recorded PATHS ARCHIVE") }
        let site = SyntheticSite(paths: contents(ofFile: arguments[3]), headers: headers)
        let urls = try (0..<1000).map { try CanonicalURL(site.url($0 * max(1, count / 1000) % count)) }
        let path = arguments[4]

        // The first run has the allocations that the runtime makes once.
        _ = try ArchiveReader(path: FilePath(path)).entry(for: urls[0])
        let (archive, opening) = try counted { try ArchiveReader(path: FilePath(path)) }
        let first = try counted { try lookUp(urls, in: archive) }.cost
        let warm = try counted { try lookUp(urls, in: archive) }.cost
        let matcher = ArchiveMatcher(archive, options: .serving)
        let matching = try each(of: urls) {
            guard try matcher.match(MatchRequest(url: $0)) != nil else { fatalError("\($0)") }
        }
        let entries = try urls.compactMap { try archive.entry(for: $0) }
        let responses = try each(of: entries) { _ = try $0.response }
        let bodies = try each(of: entries) { try $0.body?.forEachChunk { _ in } }
        let serving = try await requests(of: path, for: urls[0])
        print(
            #"{"open": \#(opening.count), "openBytes": \#(opening.bytes), "firstBytes": \#(first.bytes), "#
                + #""lookups": \#(urls.count), "allocations": \#(warm.count), "bytes": \#(warm.bytes), "#
                + #""match": \#(matching), "response": \#(responses), "body": \#(bodies), "request": \#(serving)}"#)
    }

    /// The allocations of a piece of work for one item, after everything was done once.
    private static func each<Item>(of items: [Item], _ work: (Item) throws -> Void) rethrows -> Double {
        for item in items { try work(item) }
        let cost = try counted { for item in items { try work(item) } }.cost
        return Double(cost.count) / Double(items.count)
    }

    /// The allocations of one request of many over one connection.
    private static func requests(of path: String, for url: CanonicalURL) async throws -> Double {
        let service = ReplayService(
            try ArchiveLibrary([FilePath(path)]), logger: Logger(label: "", factory: { _ in SwiftLogNoOpLogHandler() }))
        var options = ReplayServer.Options()
        (options.port, options.threads) = (0, 1)
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let server = Task { [options] in
            try await ReplayServer.run(service, options: options) { listening.yield($0.port) }
        }
        guard let port = await ports.first(where: { _ in true }) else { fatalError("no server") }
        let connection = Connection(port: port, path: String(decoding: url.path, as: UTF8.self))
        connection.repeatRequest(1000)
        let cost = counted { connection.repeatRequest(1000) }.cost
        server.cancel()
        _ = await server.result
        return Double(cost.count) / 1000
    }

    static func lookUp(_ urls: [CanonicalURL], in archive: ArchiveReader) throws {
        for url in urls {
            guard try archive.entry(for: url) != nil else { fatalError("\(url) is not in the archive") }
        }
    }

    static func counted<Value>(_ work: () throws -> Value) rethrows -> (value: Value, cost: allocation_count) {
        let before = allocations_so_far()
        let value = try work()
        let after = allocations_so_far()
        return (value, allocation_count(count: after.count - before.count, bytes: after.bytes - before.bytes))
    }
}
