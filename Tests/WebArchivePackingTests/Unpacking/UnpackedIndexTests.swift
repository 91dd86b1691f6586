// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchivePacking

/// A folder whose URL leads elsewhere after a site was appended, while its index file is answered as before.
@Suite struct UnpackedIndexTests {
    private let test = PackingTest()

    /// Appends a site of files and their texts in the place of the one before.
    private func append(_ files: [String: String]) throws {
        try? FileManager.default.removeItem(atPath: test.site.string)
        for (name, text) in files { try test.write(name, text) }
        try test.pack { $0.appends = FileManager.default.fileExists(atPath: test.archive.string) }
    }

    private func unpacked(_ name: String) throws -> String? {
        String(decoding: try test.folder.read("out/\(name)"), as: UTF8.self)
    }

    @Test func aFolderThatIsEmptyNow() throws {
        try append(["index.html": "start", "docs/index.html": "docs"])
        try append(["index.html": "start"])
        try FileManager.default.createDirectory(
            atPath: test.folder.path("site/docs").string, withIntermediateDirectories: true)
        try test.pack { $0.appends = true }
        #expect(try test.text("http://localhost/docs/") == "docs")
        try test.unpack()
        #expect(try unpacked("docs/index.html") == "docs")
    }

    @Test func anotherIndexName() throws {
        try append(["index.html": "old", "a.html": "a"])
        try append(["index.htm": "new", "a.html": "a"])
        #expect(try test.text("http://localhost/index.html") == "old")
        try test.unpack()
        #expect(try unpacked("index.html") == "old")
        #expect(try unpacked("index.htm") == "new")
    }

    @Test func aRedirectFromTheFolder() throws {
        try append(["index.html": "old", "en/index.html": "en"])
        try append(["en/index.html": "en", "_redirects": "/ /en/ 302\n"])
        #expect(try test.text("http://localhost/index.html") == "old")
        try test.unpack()
        #expect(try unpacked("index.html") == "old")
        #expect(try unpacked("en/index.html") == "en")
    }

    /// The URL of a folder with a query, as listings of servers have it, beside the folder's index file.
    @Test func queriesOfFolders() throws {
        try test.write("dir/index.html", "index")
        try test.write("dir/%webarc%?C=N", "by name")
        try test.pack()
        #expect(try test.text("http://localhost/dir/?C=N") == "by name")
        #expect(try test.text("http://localhost/dir/") == "index")
        try test.unpack()
        #expect(try test.difference() == "")
    }

    #if os(Linux)
        /// Written through memory, a file changes without a new time.
        @Test func aLargeFileThatChangesBetweenItsReadingsIsAnError() throws {
            let length = 9 << 20
            try test.write("film.bin", [UInt8](repeating: 7, count: length))
            let file = try FileDescriptor.open(test.folder.path("site/film.bin"), .readWrite)
            defer { try? file.close() }
            let mapped = try #require(mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0))
            defer { munmap(mapped, length) }
            // Pages that are written to already give the file no new time.
            mapped.initializeMemory(as: UInt8.self, repeating: 8, count: length)
            nonisolated(unsafe) let bytes = mapped.assumingMemoryBound(to: UInt8.self)
            var options = ArchivePacker.Options()
            options.threads = 1
            let error = archiveError {
                _ = try ArchivePacker([test.site], into: test.archive, options: options).run { progress in
                    if progress.items == 1 { bytes[length - 1] = 9 }
                }
            }
            #expect(error?.code == .changed)
            #expect(!FileManager.default.fileExists(atPath: test.archive.string))
        }
    #endif
}
