// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter
import SyntheticSite
import SystemPackage
import WebArchive

/// Counts the heap allocations of opening an archive and of looking up, and prints them as JSON.
///
///     count-allocations ENTRIES packed|recorded PATHS ARCHIVE
@main
enum CountAllocations {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let count = Int(arguments[1]),
            let headers = SyntheticSite.Headers(rawValue: arguments[2])
        else { fatalError("usage: count-allocations ENTRIES packed|recorded PATHS ARCHIVE") }
        let site = SyntheticSite(paths: contents(ofFile: arguments[3]), headers: headers)
        let urls = try (0..<1000).map { try CanonicalURL(site.url($0 * max(1, count / 1000) % count)) }
        let path = arguments[4]

        // What the runtime allocates once, it has allocated before anything is counted.
        _ = try ArchiveReader(path: FilePath(path)).entry(for: urls[0])
        let (archive, opening) = try counted { try ArchiveReader(path: FilePath(path)) }
        let first = try counted { try lookUp(urls, in: archive) }.cost
        let warm = try counted { try lookUp(urls, in: archive) }.cost
        print(
            #"{"open": \#(opening.count), "openBytes": \#(opening.bytes), "firstBytes": \#(first.bytes), "#
                + #""lookups": \#(urls.count), "allocations": \#(warm.count), "bytes": \#(warm.bytes)}"#)
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
