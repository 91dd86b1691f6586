// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

/// Tests of imports that commit several times, and go on after a kill.
@Suite struct ImportContinuationTests {
    private let imported = ImportedFiles()
    private var folder: TemporaryFolder { imported.folder }

    /// The content of an archive, as far as readers of it can tell.
    private struct Content: Equatable {
        var entries: [String] = []
        var records: [UInt8]?
        var pages: [String] = []
        var metadata: [String: String] = [:]

        private static func digest(_ body: ArchiveBody?) throws -> String {
            try body.map { "\(ContentDigest(hashing: try $0.bytes()))" } ?? "-"
        }

        init(_ path: FilePath, isExact: Bool) throws {
            let archive = try ArchiveReader(path: path)
            #expect(ArchiveVerifier(archive).run().filter { $0.severity == .error } == [])
            for entry in try archive.entries() {
                let (response, request) = (try entry.response, try entry.request)
                let fields = [request.headers, response?.headers ?? []].map { list in
                    list.map { ContentDigest(hashing: $0.nameBytes + [0] + $0.valueBytes) }
                }
                entries.append(
                    "\(try entry.key) \(request.url) \(request.method) \(try entry.time?.nanoseconds ?? 0) \(response?.status ?? 0) \(try entry.role) \(try Self.digest(entry.body)) \(try Self.digest(entry.requestBody)) \(fields) \(response?.absentDigest ?? "-") \(response?.codings ?? [])"
                )
            }
            // Captures of a URL are listed by commit.
            entries.sort()
            for number in 0..<archive.pageCount {
                let page = archive.page(number)
                pages.append("\(try page.page) \(try Self.digest(page.text))")
            }
            metadata = try archive.metadata()
            guard isExact else { return }
            var exporter = WARCExporter(archive)
            (exporter.restoresOriginals, exporter.isCompressed) = (true, false)
            let collected = ByteCollector()
            try exporter.write { bytes throws(ArchiveError) in collected.append(Array(bytes)) }
            records = collected.all
        }
    }

    /// The archive as it was after each commit but the last one, as a killed import leaves it.
    private func states(
        _ files: [FilePath], _ options: ArchiveImporter.Options
    ) throws -> (states: [[UInt8]], summary: ArchiveImporter.Summary) {
        let path = imported.path
        let states = Collected()
        let summary = try ArchiveImporter(into: path, options: options).run(files) { _ in
            guard let bytes = try? [UInt8](Data(contentsOf: URL(fileURLWithPath: path.string))),
                let archive = try? ArchiveReader(bytes: bytes), (try? archive.metadata()["x-import"]) != nil
            else { return }
            states.add(bytes, commits: archive.commitCount)
        }
        return (states.all, summary)
    }

    private final class Collected: @unchecked Sendable {
        // The thread of the import adds, and that of the test reads after it.
        private(set) var all: [[UInt8]] = []
        private var commits = 0

        func add(_ bytes: [UInt8], commits: Int) {
            guard commits > self.commits else { return }
            self.commits = commits
            all.append(bytes)
        }
    }

    /// Checks that an import goes on behind each of its commits, and that the archive is then that of an import with one commit.
    private func check(
        _ files: [FilePath], _ options: ArchiveImporter.Options, former: [UInt8]? = nil, least: Int
    ) throws {
        func begin() throws {
            if let former {
                try folder.write("a.webarc", former)
            } else {
                try? FileManager.default.removeItem(atPath: imported.path.string)
            }
        }
        var (options, single) = (options, options)
        (options.commitInterval, single.commitInterval) = (4 << 10, 0)
        try begin()
        let expected = try ArchiveImporter(into: imported.path, options: single).run(files)
        let content = try Content(imported.path, isExact: options.keepsOriginals)
        try begin()
        let (states, summary) = try states(files, options)
        #expect(try Content(imported.path, isExact: options.keepsOriginals) == content)
        #expect("\(summary)" == "\(expected)")
        try #require(states.count >= least, "\(states.count)")
        let step = max(1, states.count / 3)
        for (number, state) in states.enumerated() where number % step == 0 {
            // A commit that was not finished.
            let tail = number % 2 == 0 ? [] : [UInt8](repeating: 7, count: 5_000)
            try folder.write("a.webarc", state + tail)
            let again = try ArchiveImporter(into: imported.path, options: options).run(files)
            #expect("\(again)" == "\(expected)", "commit \(number)")
            #expect(try Content(imported.path, isExact: options.keepsOriginals) == content, "commit \(number)")
        }
    }

    /// Odd records, with revisits of later ones, in several files of several formats.
    @Test(arguments: [false, true]) func oddRecords(_ isExact: Bool) throws {
        var random = SeededGenerator.printed()
        func odd(_ records: Int) -> [UInt8] {
            OddWARC(SeededGenerator(seed: UInt64.random(in: 0 ... .max, using: &random)), records: records).bytes
        }
        let gzip = try folder.write("0.warc.gz", imported.gzip(odd(200)))
        let page = #"{"url": "http://a/", "ts": "2020-01-01T00:00:00Z", "text": "t"}"#
        let wacz = try PythonZIP(folder: folder)(
            "1.wacz",
            [
                ("archive/a.warc", odd(100)), ("archive/b.warc", odd(100)), ("pages/pages.jsonl", Array(page.utf8)),
                ("datapackage.json", Array(#"{"title": "T"}"#.utf8)),
            ])
        let last = try folder.write("2.warc", odd(300))
        var options = ArchiveImporter.Options()
        options.keepsOriginals = isExact
        try check([gzip, wacz, last], options, least: 2)
    }

    /// A revisit whose body comes later, requests before their responses, and a damaged place.
    @Test func order() throws {
        var bytes: [UInt8] = []
        for number in 0..<260 {
            let url = "http://a/\(number)"
            let text = String(repeating: "\(number) ", count: 30)
            bytes += ImportedFiles.record(
                "request", url, ["WARC-Record-ID: <urn:q\(number)>"], "GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
            bytes += ImportedFiles.response(
                url, text, ["WARC-Concurrent-To: <urn:q\(number)>", "WARC-Payload-Digest: sha1:\(number)"])
            if number % 40 == 0 {
                bytes += ImportedFiles.record(
                    "revisit", "http://b/\(number)", ["WARC-Payload-Digest: sha1:\(259 - number)"],
                    "HTTP/1.1 200 OK\r\n\r\n")
            }
            if number == 100 { bytes += "no record\r\n".utf8 }
        }
        for isExact in [false, true] {
            var options = ArchiveImporter.Options()
            options.keepsOriginals = isExact
            // Damage makes the file one that cannot be written again.
            let file = isExact ? bytes.replacing("no record\r\n".utf8, with: []) : bytes
            try check([folder.write("0.warc", file)], options, least: 2)
        }
    }

    /// An archive that is appended to, which has bodies of revisits.
    @Test func appended() throws {
        let first = (0..<50).map { ImportedFiles.response("http://a/\($0)", String(repeating: "a\($0)", count: 50)) }
        try imported(first.flatMap { $0 })
        let former = try folder.read("a.webarc")
        var bytes: [UInt8] = []
        for number in 0..<200 {
            bytes += ImportedFiles.response("http://c/\(number)", String(repeating: "c\(number % 7)", count: 60))
            bytes += ImportedFiles.record(
                "revisit", "http://d/\(number)",
                [
                    "WARC-Refers-To-Target-URI: http://a/\(number % 60)", "WARC-Refers-To-Date: 2020-01-01T00:00:00Z",
                ], "HTTP/1.1 200 OK\r\n\r\n")
        }
        var options = ArchiveImporter.Options()
        options.appends = true
        try check([folder.write("9.warc", bytes)], options, former: former, least: 1)
    }

    @Test func browsers() throws {
        let entries = (0..<300).map {
            HARFile.entry(
                "http://a/\($0)", content: #""size": 90, "text": "\#(String(repeating: "x\($0) ", count: 20))""#)
        }
        let path = try folder.write("0.har", Array(HARFile.text(entries).utf8))
        try check([path], ArchiveImporter.Options(), least: 1)
    }

    /// Another import, and one whose files changed, does not go on.
    @Test func otherInputs() throws {
        let bytes = OddWARC(SeededGenerator.printed(), records: 800, isSound: true).bytes
        let path = try folder.write("0.warc", bytes)
        var options = ArchiveImporter.Options()
        options.commitInterval = 8 << 10
        let state = try #require(try states([path], options).states.last)
        let whole = try Content(imported.path, isExact: false)
        func run(_ paths: [FilePath], _ change: (inout ArchiveImporter.Options) -> Void = { _ in }) throws -> Int {
            try folder.write("a.webarc", state)
            var options = options
            change(&options)
            try ArchiveImporter(into: imported.path, options: options).run(paths)
            let archive = try ArchiveReader(path: imported.path)
            #expect(try archive.metadata()["x-import"] == nil)
            return archive.commitCount
        }
        #expect(try run([path]) > 1)
        // An archive is replaced by one commit.
        #expect(try run([path]) { $0.keepsOriginals = true } == 1)
        #expect(try run([path]) { $0.isStrict = true } == 1)
        #expect(try run([path, path]) == 1)
        try folder.write("0.warc", bytes + bytes)
        #expect(try run([path]) == 1)
        // One that is appended to keeps what it has.
        let count = try ArchiveReader(bytes: state).commitCount
        try folder.write("0.warc", ImportedFiles.response("http://new/", "new"))
        #expect(try run([path]) { $0.appends = true } == count + 1)
        #expect(try imported.body("http://new/") == "new")
        #expect(try Content(imported.path, isExact: false).entries.count < whole.entries.count)
    }

    /// An archive whose entries are not those of its journal is an error, not a wrong archive.
    @Test func otherArchive() throws {
        let path = try folder.write("0.warc", OddWARC(SeededGenerator.printed(), records: 800, isSound: true).bytes)
        var options = ArchiveImporter.Options()
        options.commitInterval = 8 << 10
        let state = try #require(try states([path], options).states.first)
        let text = try #require(try ArchiveReader(bytes: state).metadata()["x-import"])
        for (old, new) in [(#""entries": "#, #""entries": 9999"#), (#""records": "#, #""records": 9999"#)] {
            try folder.write("a.webarc", state)
            let builder = try CommitBuilder(appendingTo: imported.path)
            let commits = try ArchiveReader(bytes: state).commitCount
            try builder.setMetadata(
                "x-import",
                to: text.replacing(old, with: new).replacing(
                    #""commits": \#(commits)"#, with: #""commits": \#(commits + 1)"#))
            try builder.commit()
            let before = try folder.read("a.webarc")
            let error = archiveError { try ArchiveImporter(into: imported.path, options: options).run([path]) }
            #expect(error?.code == .changed && error?.path == imported.path.string)
            #expect(try folder.read("a.webarc") == before)
        }
    }
}
