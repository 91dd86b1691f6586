// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

@Suite struct WARCDamageTests {
    private let imported = ImportedFiles()

    /// The records before and after damage are there, and the damage is reported with its place.
    @Test(arguments: ["plain", "gzip"]) func damage(_ form: String) throws {
        let records = (0..<10).map {
            ImportedFiles.response("http://a/\($0)", "body \($0) " + String(repeating: "x", count: 1_000))
        }
        var file: [UInt8] = []
        var offsets: [Int] = []
        for record in records {
            offsets.append(file.count)
            if form == "gzip" {
                file += try imported.gzip(record)
            } else {
                file += record
            }
        }
        if form == "gzip" { file[offsets[4] + 60] ^= 0xFF } else { file[offsets[4] + 2] ^= 0xFF }
        let summary = try imported(file)
        let urls = try ArchiveReader(path: imported.path).entries().map { try $0.key }
        #expect(urls == (0..<10).filter { $0 != 4 }.map { "http://a/\($0)" })
        let error = try #require(summary.damage.first)
        #expect(error.code == .damaged && error.path == imported.folder.path("0.warc").string)
        #expect(try #require(error.offset) >= offsets[4] && #require(error.offset) < offsets[5])
        var strict = ArchiveImporter.Options()
        strict.isStrict = true
        try? FileManager.default.removeItem(atPath: imported.path.string)
        #expect(
            archiveError {
                _ = try ArchiveImporter(into: imported.path, options: strict).run([imported.folder.path("0.warc")])
            }?.code
                == .damaged)
        #expect(!FileManager.default.fileExists(atPath: imported.path.string))
    }

    /// A file that was cut off anywhere gives the records before the cut.
    @Test func cutOff() throws {
        let records = (0..<3).map { ImportedFiles.response("http://a/\($0)", "body \($0)") }
        let file = records.flatMap { $0 }
        for length in 6..<file.count {
            let summary = try imported(Array(file[..<length]))
            let whole = try ArchiveReader(path: imported.path).entries().count
            // The line ends after a block may be missing.
            let expected = (1...3).last { file[..<length].count >= records[..<$0].reduce(0) { $0 + $1.count } - 4 } ?? 0
            #expect(whole == expected, "after \(length) bytes")
            #expect(summary.damage.count <= 1)
        }
    }

    /// A record that claims more than any file has, and one whose head has no end.
    @Test func claims() throws {
        let huge =
            "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 1152921504606846976\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx"
        #expect(try imported(Array(huge.utf8)).damage.map(\.code) == [.truncated])
        #expect(
            try imported(Array("WARC/1.0\r\n".utf8) + [UInt8](repeating: 0x61, count: 1 << 20)).damage.map(\.code) == [
                .damaged
            ])
        #expect(try imported(Array("WARC/1.0\r\nContent-Length: -1\r\n\r\n".utf8)).damage.map(\.code) == [.damaged])
        #expect(archiveError { try imported(Array("hello".utf8)) }?.code == .notAnArchive)
        #expect(archiveError { try imported([]) }?.code == .notAnArchive)
    }

    /// Several faults, closer together than a buffer: what lies between them is there.
    @Test func faultsCloseTogether() throws {
        let good = try (0..<6).map { try imported.gzip(ImportedFiles.response("http://a/\($0)", "body \($0)")) }
        let junk = try imported.gzip(Array("no record\n".utf8))
        var corrupt = good[5]
        corrupt[20] ^= 0xFF
        func urls(_ file: [UInt8]) throws -> (urls: [String], faults: Int) {
            let summary = try imported(file)
            return (try ArchiveReader(path: imported.path).entries().map { try $0.key }, summary.damage.count)
        }
        let between = try urls(good[0] + junk + good[1] + good[2] + corrupt + good[3])
        #expect(between.urls == (0...3).map { "http://a/\($0)" } && between.faults == 2)
        let cut = try urls(good[0] + junk + good[1] + good[2].dropLast(12))
        #expect(cut.urls == ["http://a/0", "http://a/1"])
        let around = try urls(good[0] + corrupt + junk + corrupt + good[3] + good[4])
        #expect(around.urls == ["http://a/0", "http://a/3", "http://a/4"])
        let end = try urls(good[0] + [UInt8](repeating: 0xFF, count: 40) + good[1].prefix(12))
        #expect(end.urls == ["http://a/0"])
    }

    /// Each mark of a record costs no more than its bytes.
    @Test func marksWithoutRecords() throws {
        let marks = Array(String(repeating: "WARC/1\n", count: 200_000).utf8)
        let summary = try imported(ImportedFiles.response("http://a/0", "x") + marks)
        #expect(try imported.body("http://a/0") == "x" && !summary.damage.isEmpty)
    }

    /// An archive that lost a record cannot be written again as it was.
    @Test func whatIsLostIsKnown() throws {
        var options = ArchiveImporter.Options()
        options.keepsOriginals = true
        let records = (0..<3).map { ImportedFiles.response("http://a/\($0)", "body \($0)") }
        var damaged = records.flatMap { $0 }
        damaged[records[0].count + 2] ^= 0xFF
        try imported(damaged, options: options)
        #expect(archiveError { _ = try imported.exported(isExact: true) }?.code == .invalidArgument)
        try imported(records.flatMap { $0 }, options: options)
        #expect(try imported.exported(isExact: true) == records.flatMap { $0 })
        let (part, other, all) = (
            imported.folder.path("p.webarc"), imported.folder.path("o.webarc"), imported.folder.path("m.webarc")
        )
        var filter = EntryFilter()
        filter.include = [try GlobPattern("/1")]
        try ArchiveExtractor(ArchiveReader(path: imported.path), into: part, filter: filter).run()
        #expect(archiveError { _ = try imported.exported(part, isExact: true) }?.code == .invalidArgument)
        try ArchiveImporter(into: other).run([
            imported.folder.write("x.warc", records[0] + ImportedFiles.record("metadata", "http://b/", [], "x"))
        ])
        for sources in [[imported.path, other], [other, imported.path]] {
            try ArchiveMerger(sources.map { try ArchiveReader(path: $0) }, into: all).run()
            #expect(archiveError { _ = try imported.exported(all, isExact: true) }?.code == .invalidArgument)
        }
        try ArchiveMerger([ArchiveReader(path: imported.path)], into: all).run()
        #expect(try imported.exported(all, isExact: true) == records.flatMap { $0 })
    }
}
