// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive
import WebArchivePresentation

@testable import WebArchiveInterchange

/// Tests of the import of ARC files.
@Suite struct ARCImportTests {
    private let imported = ImportedFiles()

    private static let message = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\n"

    private static func file(version: Int) -> [UInt8] {
        let fields =
            version == 1
            ? "URL IP-address Archive-date Content-type Archive-length"
            : "URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length"
        let block = "\(version) 0 InternetArchive\n\(fields)\n"
        let rest = version == 1 ? "" : " 200 - - 0 x.arc"
        return Array("filedesc://x.arc 0.0.0.0 20080430204825 text/plain\(rest) \(block.utf8.count)\n\(block)\n".utf8)
    }

    private static func record(
        _ url: String, _ block: String, version: Int = 1, type: String = "text/plain"
    ) -> [UInt8] {
        let rest = version == 1 ? "" : " 200 f49cb8 - 1024 x.arc"
        return Array("\(url) 192.0.2.7 20080430204826 \(type)\(rest) \(block.utf8.count)\n\(block)\n".utf8)
    }

    @Test(arguments: [1, 2], ["plain", "gzip"]) func responses(_ version: Int, _ form: String) throws {
        let records = [
            Self.file(version: version),
            Self.record(
                "dns:a.example", "20080430204825\na.example 3600 IN A 192.0.2.7\n", version: version, type: "text/dns"),
            Self.record("http://a.example/", Self.message + "one", version: version),
            // Against the rules, but in old files.
            Self.record("http://a.example/a b", Self.message + "two\n\n", version: version),
            Self.record(
                "http://a.example/3", Self.message + "three", version: version, type: "text/html; charset=utf-8"),
        ]
        let file = form == "gzip" ? try records.flatMap(imported.gzip) : records.flatMap { $0 }
        let summary = try imported(file)
        #expect(summary.damage.isEmpty && summary.responses == 4 && summary.otherRecords == 1)
        #expect(try imported.body("http://a.example/") == "one")
        #expect(try imported.body("http://a.example/a%20b") == "two\n\n")
        #expect(try imported.body("http://a.example/3") == "three")
        #expect(try imported.body("dns:a.example") == "20080430204825\na.example 3600 IN A 192.0.2.7\n")
        let entry = try #require(try ArchiveReader(path: imported.path).entry(for: CanonicalURL("http://a.example/")))
        let response = try #require(try entry.response)
        #expect(response.address == "192.0.2.7" && response.headers.values(named: "Set-Cookie") == ["a", "b"])
        #expect(try Timestamp.text(#require(try entry.time)) == "2008-04-30T20:48:26Z")
    }

    /// The records before and after damage are there.
    @Test(arguments: ["plain", "gzip"]) func damage(_ form: String) throws {
        var records = [Self.file(version: 1)]
        for number in 0..<6 {
            let block = Self.message + "body \(number) " + String(repeating: "x", count: 1_000)
            records.append(Self.record("http://a/\(number)", block))
        }
        var offsets: [Int] = []
        var file: [UInt8] = []
        for record in records {
            offsets.append(file.count)
            file += form == "gzip" ? try imported.gzip(record) : record
        }
        let place = form == "gzip" ? offsets[3] + 60 : offsets[3] + 12
        file[place] ^= 0xFF
        let summary = try imported(file)
        let urls = try ArchiveReader(path: imported.path).entries().map { try $0.key }
        #expect(urls == [0, 1, 3, 4, 5].map { "http://a/\($0)" })
        let offset = try #require(summary.damage.first?.offset)
        #expect(offset >= offsets[3] && offset < offsets[4])
    }

    /// An ARC file cannot be written again, and an import that promises it says so.
    @Test func originalsAreOfWARCFilesOnly() throws {
        var options = ArchiveImporter.Options()
        options.keepsOriginals = true
        #expect(archiveError { try imported(Self.file(version: 1), options: options) }?.code == .invalidArgument)
    }
}
