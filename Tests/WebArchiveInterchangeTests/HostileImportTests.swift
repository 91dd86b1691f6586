// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

/// Tests of sources and archives that someone made to cost memory, time or the truth.
@Suite struct HostileImportTests {
    private let imported = ImportedFiles()

    /// Heads of thousands of lines that each look like the beginning of a record: every line is parsed once, not once for each line before it.
    @Test func marksInsideOfHeads() throws {
        let head = "WARC/1.0\n" + String(repeating: "WARC/:\n", count: 4_000) + "\n"
        let input = MemoryInput(Array(String(repeating: head, count: 3).utf8))
        let syntax = CountingSyntax()
        let reader = RecordReader(BufferedInput(input), syntax)
        #expect(try reader.next() == nil)
        #expect(reader.damage.count == 3 && syntax.parsed.value <= 6)
    }

    /// The line ends of a record take little memory, and too many make the file one that cannot be written again.
    @Test func lineEndsWithoutMeasure() throws {
        var options = ArchiveImporter.Options()
        options.keepsOriginals = true
        let record = ImportedFiles.record("metadata", "http://a/", [], "x")
        try imported(record + [UInt8](repeating: 0, count: 200), options: options)
        #expect(try imported.exported(isExact: true).count == record.count + 200)
        try imported(record + [UInt8](repeating: 0, count: 1 << 20), options: options)
        #expect(archiveError { _ = try imported.exported(isExact: true) }?.code == .invalidArgument)
    }

    /// Everything that a waiting revisit keeps counts.
    @Test func lengthsOfRevisits() throws {
        let long = String(repeating: "a", count: 1_000)
        func revisit(label: String? = nil, identifier: String? = nil, url: String? = nil, sent: String = "http://a/")
            -> Int
        {
            let names = PayloadTable.Names(label: label, identifier: identifier, url: url)
            let request = ArchiveRequest(url: sent, headers: sent == "http://a/" ? [] : ["X": long])
            return DeferredRevisit(
                sent: SentRequest(request: request),
                revisit: Revisit(response: ArchiveResponse(headers: []), names: names, isHeadless: false), time: nil
            ).length
        }
        let least = revisit()
        for length in [revisit(label: long), revisit(identifier: long), revisit(url: long)] {
            #expect(length == least + 1_000)
        }
        #expect(revisit(sent: long) > least + 1_990)
    }

    /// Imports a file with a small budget.
    private func run(_ file: [UInt8], decoded: UInt64) throws {
        let builder = try CommitBuilder(creating: imported.path)
        defer { builder.cancel() }
        let output = ImportOutput(
            ImportTarget(imported.path, builder, ArchiveImporter.Options()), ArchiveImporter.Options(),
            budget: InterchangeBudget(decoded: decoded))
        let run = try ImportRun(output, former: nil)
        let path = try imported.folder.write("0.warc", file)
        try run.add(SourceFormat.source(at: path), at: path)
        try run.finish()
    }

    /// Content stays coded where a file would decode to more than a multiple of its length.
    @Test func codedBombs() throws {
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        let nested = try imported.gzip(imported.gzip(zeros))
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\n\r\n"
        var file: [UInt8] = []
        for number in 0..<20 {
            let length = head.utf8.count + nested.count
            let fields = ["WARC-Type: response", "WARC-Target-URI: http://a/\(number)", "Content-Length: \(length)"]
            file += Array((["WARC/1.1"] + fields + ["", head]).joined(separator: "\r\n").utf8)
            file += nested + [0x0D, 0x0A, 0x0D, 0x0A]
        }
        try run(file, decoded: 10 << 20)
        let lengths = try ArchiveReader(path: imported.path).entries().map { try $0.body?.length ?? 0 }
        #expect(lengths.count == 20)
        #expect(lengths.contains(UInt64(zeros.count)) && lengths.contains(UInt64(nested.count)))
        #expect(lengths.reduce(0, +) < 16 << 20)
    }

    /// A block that decodes to more than a multiple of the file ends the import, with the file's name.
    @Test func blocksOfZeros() throws {
        let record = ImportedFiles.record("resource", "http://a/", [], String(repeating: "\0", count: 16 << 20))
        let file = try imported.gzip(record)
        try run(file, decoded: 16 << 20)
        let error = archiveError { try run(file, decoded: 8 << 20) }
        #expect(error?.code == .limitExceeded && error?.path == imported.folder.path("0.warc").string)
    }

    /// Bytes that belong to no record count as well: line ends behind one, other bytes between two, and the rest of a block that is left out.
    @Test func bytesOutsideOfRecords() throws {
        let record = ImportedFiles.response("http://a/", "one")
        let zeros = [UInt8](repeating: 0, count: 16 << 20)
        for tail in [zeros, [UInt8(ascii: "x")] + zeros] {
            let file = try imported.gzip(record + tail)
            try run(file, decoded: 17 << 20)
            #expect(archiveError { try run(file, decoded: 8 << 20) }?.code == .limitExceeded)
        }
    }

    /// Faults of a run are kept up to a limit, and all are counted.
    @Test func faultsOfManyFiles() throws {
        let file = (0..<400).flatMap { number in
            Array("WARC/1.1\r\nWARC-Type: response\r\n\r\n".utf8) + ImportedFiles.response("http://a/\(number)", "")
        }
        let summary = try imported(file, file, file, file)
        #expect(summary.damage.count == 1_000 && summary.damageCount == 1_600)
    }

    /// A block that continues in other records is not taken for a whole one.
    @Test func segments() throws {
        let summary = try imported(ImportedFiles.response("http://a/", "part", ["WARC-Segment-Number: 1"]))
        #expect(summary.damage.map(\.code) == [.unsupportedFeature] && summary.damage.first?.offset == 0)
        #expect(
            try ArchiveReader(path: imported.path).entry(for: "http://a/")?.response?.truncation == "unspecified")
    }

    /// The fields of a stored record cannot say another length, whatever a reader takes for a name.
    @Test(arguments: ["Content-Length ", "content-length", "Content-Length\r", "\tContent-Length", "X\n\nWARC/1.1", ""])
    func lengthsOfStoredRecords(_ name: String) throws {
        let builder = try CommitBuilder(creating: imported.path)
        let block = try Array("block".utf8).withBytes { (bytes) throws(ArchiveError) in try builder.addBody(bytes) }
        var headers: HeaderFields = ["WARC-Type": "metadata", "X-Kept": "yes"]
        headers.append(HeaderField(nameBytes: Array(name.utf8), valueBytes: Array("1".utf8)))
        try builder.add(ArchiveRecord(headers: headers), block: block)
        try builder.commit()
        let text = String(decoding: try imported.exported(), as: UTF8.self)
        let record = try #require(text.firstRange(of: "WARC-Type: metadata")).lowerBound
        let head = text[record...].prefix(upTo: try #require(text[record...].firstRange(of: "\r\n\r\n")).lowerBound)
        #expect(head == "WARC-Type: metadata\r\nX-Kept: yes\r\nContent-Length: 5")
    }

    /// Names and values of JSON with many combining marks are compared in a time in proportion to them.
    @Test(.timeLimit(.minutes(1))) func marksInJSON() throws {
        let marks = "a" + String(repeating: "\u{301}\u{316}", count: 100_000)
        let name = "a" + String(repeating: "\u{301}\u{316}", count: 15_000)
        let content = #""size": 1, "text": "x", "mimeType": "\#(marks)", "encoding": "\#(marks)", "\#(name)": 1"#
        let summary = try HARFile()(HARFile.text([HARFile.entry("https://a/", content: content)]))
        #expect(summary.responses == 1)
        #expect(try JSONText.value(Array("{\"\(marks)\": 1, \"a\": \"\(marks)\"}".utf8))["a"]?.text != nil)
    }

    /// Small items and empty lines are work as well.
    @Test func costsOfItems() throws {
        let items = Array(
            "{\"log\": {\"version\": \"1.2\", \"entries\": [\([String](repeating: "1", count: 100_000).joined(separator: ","))]}}"
                .utf8)
        let file = try imported.gzip(items)
        #expect(archiveError { try run(file, decoded: 4 << 20) }?.code == .limitExceeded)
    }

    @Test func limitsOfABudget() throws {
        let budget = InterchangeBudget()
        budget.readLength = 1 << 20
        try budget.decode(1 << 30)
        try budget.decode(200 << 20)
        #expect(archiveError { try budget.decode(1) }?.code == .limitExceeded)
        try budget.keep((256 + 32) << 20)
        #expect(archiveError { try budget.keep(1) }?.code == .limitExceeded)
    }

    /// A value of many lines repeats its name, but not without measure.
    @Test func fieldsOfManyLines() throws {
        func file(_ name: Int, _ feeds: Int) -> [UInt8] {
            let field =
                "{\"name\": \"\(String(repeating: "n", count: name))\", \"value\": \"\(String(repeating: "\\n", count: feeds))\"}"
            let response = "{\"status\": 200, \"headers\": [\(field)], \"content\": {\"text\": \"x\", \"size\": 1}}"
            let request = "{\"method\": \"GET\", \"url\": \"http://a/\", \"headers\": []}"
            let entry =
                "{\"startedDateTime\": \"2020-01-01T00:00:00Z\", \"request\": \(request), \"response\": \(response)}"
            return Array("{\"log\": {\"version\": \"1.2\", \"entries\": [\(entry)]}}".utf8)
        }
        #expect(try imported(file(10, 10)).responses == 1)
        for (name, feeds) in [(60_000, 60_000), (1, 5_000), (5_000, 500)] {
            let summary = try imported(file(name, feeds))
            #expect(summary.responses == 0 && summary.damage.map(\.code) == [.damaged])
        }
    }

    /// The key of a request for an index takes little, whatever its body is.
    @Test func keysOfLargeRequests() {
        let body = Array(
            "{\"\(String(repeating: "n", count: 100_000))\": [\([String](repeating: "0", count: 100_000).joined(separator: ","))]}"
                .utf8)
        #expect(RequestQuery.text(of: body, type: "application/json") == String(repeating: "n", count: 4096))
        let small = RequestQuery.text(of: Array("{\"a\": [1, 2], \"b\": {\"a\": true}}".utf8), type: "application/json")
        #expect(small == "a=1&a.2_=2&a.3_=True")
    }

    /// Paths with thousands of segments that look like identifiers of sessions.
    @Test func pathsOfManyIdentifiers() {
        let identifier = String(repeating: "a1", count: 12)
        func removed(_ path: String) -> String {
            var bytes = Array(path.utf8)
            SessionIdentifiers.remove(fromPath: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(removed("/x/(\(identifier))/y/p.aspx") == "/x/y/p.aspx")
        #expect(removed("/x/(a(\(identifier))s(\(identifier)))/p.aspx?q") == "/x/p.aspx?q")
        #expect(
            removed("/(\(identifier))/x/(\(identifier))/p.aspx/(\(identifier))/")
                == "/(\(identifier))/x/p.aspx/(\(identifier))/")
        for path in [
            "/x/(\(identifier))/.aspx", "/x/(\(identifier)b)/p.aspx", "(\(identifier))/p.aspx",
            "/(\(identifier))/p.asp",
        ] {
            #expect(removed(path) == path)
        }
        let long = "/x.aspx" + String(repeating: "/(\(String(repeating: "a", count: 23)))", count: 20_000) + "/"
        #expect(removed(long) == long)
    }

    /// The decoded bytes of a ZIP member do not count as bytes of the file.
    @Test func membersThatDecodeTwice() throws {
        let inner = try imported.gzip(
            ImportedFiles.record("resource", "http://a/", [], String(repeating: "\0", count: 16 << 20)))
        let padded = inner + [UInt8](repeating: 0, count: 1 << 20)
        _ = try PythonZIP(folder: imported.folder, deflates: true)(
            "x.wacz", [("archive/a.warc.gz", padded), ("datapackage.json", Array("{}".utf8))])
        let file = try imported.folder.read("x.wacz")
        #expect(file.count < 64 << 10)
        #expect(archiveError { try run(file, decoded: 8 << 20) }?.code == .limitExceeded)
    }

    /// Texts of pages stay in memory up to the commit.
    @Test func titlesOfPages() throws {
        let budget = InterchangeBudget(kept: 1 << 20)
        let builder = try CommitBuilder(creating: imported.path)
        defer { builder.cancel() }
        let output = ImportOutput(
            ImportTarget(imported.path, builder, ArchiveImporter.Options()), ArchiveImporter.Options(), budget: budget)
        let title = String(repeating: "t", count: 400_000)
        for number in 0..<2 { try output.add(ArchivePage(url: "http://a/\(number)", title: title)) }
        #expect(archiveError { try output.add(ArchivePage(url: "http://a/3", title: title)) }?.code == .limitExceeded)
    }

    /// An archive of a folder that others cannot enter cannot be read by others.
    @Test func rightsOfFolders() throws {
        try imported.folder.write("mirror/a.example/index.html", Array("<p>x".utf8))
        for (mode, expected) in [(0o700, 0o600), (0o755, 0o644)] {
            #expect(chmod(imported.folder.path("mirror").string, mode_t(mode)) == 0)
            try? FileManager.default.removeItem(atPath: imported.path.string)
            try ArchiveImporter(into: imported.path).run([imported.folder.path("mirror")])
            let attributes = try FileManager.default.attributesOfItem(atPath: imported.path.string)
            #expect(attributes[.posixPermissions] as? Int == expected)
        }
    }

    /// The source is not the temporary file of the output, which would be removed.
    @Test func aSourceWithTheTemporaryName() throws {
        let path = FilePath(imported.path.string + ".partial")
        let bytes = ImportedFiles.response("http://a/", "x")
        try Data(bytes).write(to: URL(filePath: path.string))
        #expect(archiveError { try ArchiveImporter(into: imported.path).run([path]) }?.code == .invalidArgument)
        #expect(try Data(contentsOf: URL(filePath: path.string)) == Data(bytes))
    }

    /// Crawls have cookies: an archive of a file that others cannot read cannot be read by others.
    @Test func rightsOfTheSources() throws {
        let path = try imported.folder.write("private.warc", ImportedFiles.response("http://a/", "x"))
        let open = try imported.folder.write("public.warc", ImportedFiles.response("http://a/1", "x"))
        #expect(chmod(path.string, 0o600) == 0 && chmod(open.string, 0o644) == 0)
        for (sources, expected) in [([path], 0o600), ([open, path], 0o600)] {
            try? FileManager.default.removeItem(atPath: imported.path.string)
            try ArchiveImporter(into: imported.path).run(sources)
            let attributes = try FileManager.default.attributesOfItem(atPath: imported.path.string)
            #expect(attributes[.posixPermissions] as? Int == expected)
        }
    }

    /// No text of an archive begins a record that the archive does not have.
    @Test func recordsInsideOfTexts() throws {
        let injected =
            "1\r\nContent-Length: 0\r\n\r\n\r\n\r\nWARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://bank/\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"
        let builder = try CommitBuilder(creating: imported.path)
        var response = ArchiveResponse(headers: ["X": injected, "Y": "one\r\n two"], address: injected)
        response.reasonBytes = Array(injected.utf8)
        let body = try Array("body".utf8).withBytes { (bytes) throws(ArchiveError) in try builder.addBody(bytes) }
        _ = try builder.add(ArchiveRequest(url: "http://a/", headers: ["Z": injected]), response: response, body: body)
        let block = try Array(injected.utf8).withBytes { (bytes) throws(ArchiveError) in try builder.addBody(bytes) }
        try builder.add(
            ArchiveRecord(headers: ["WARC-Type": "metadata", "Content-Length": "0", "N": injected]), block: block)
        try builder.commit()
        let exported = try imported.exported()
        let again = ImportedFiles()
        let summary = try again(exported)
        #expect(summary.damage.isEmpty && summary.records == 4)
        #expect(try ArchiveReader(path: again.path).entries().map { try $0.key } == ["http://a/"])
        #expect(try again.body("http://a/") == "body")
        // A value of several lines stays one.
        let entry = try #require(try ArchiveReader(path: again.path).entry(for: CanonicalURL("http://a/")))
        #expect(try entry.response?.headers["Y"] == "one\r\n two")
    }

    /// Records and pages that share long texts are copied and exported within the budget of a pass.
    @Test(arguments: ["records", "pages"]) func sharedTexts(_ kind: String) throws {
        let builder = try CommitBuilder(creating: imported.path)
        let long = String(repeating: "t", count: 1 << 20)
        for _ in 0..<2_000 {
            if kind == "records" {
                try builder.add(ArchiveRecord(headers: ["WARC-Type": "metadata"], end: Array(long.utf8)))
            } else {
                try builder.add(ArchivePage(url: "http://a/", title: long))
            }
        }
        try builder.setMetadata(MetadataName.records, to: MetadataName.allRecords)
        try builder.commit()
        let copy = imported.folder.path("copy.webarc")
        let error = archiveError {
            try ArchiveCompactor(imported.path, into: copy).run()
        }
        #expect(error?.code == .limitExceeded)
        if kind == "records" {
            #expect(archiveError { _ = try imported.exported(isExact: true) }?.code == .limitExceeded)
        }
    }

    /// One file that is none of the formats does not cost the others.
    @Test func oneUnreadableFileOfSeveral() throws {
        let good = ImportedFiles.response("http://a/", "one")
        let summary = try imported(Array("notes".utf8), good, [])
        #expect(summary.damage.map(\.code) == [.notAnArchive, .notAnArchive] && summary.responses == 1)
        #expect(summary.damage.first?.path?.hasSuffix("0.warc") == true)
        #expect(try imported.body("http://a/") == "one")
        var options = ArchiveImporter.Options()
        options.isStrict = true
        #expect(throws: ArchiveError.self) { try imported(Array("notes".utf8), good, options: options) }
        #expect(throws: ArchiveError.self) { try imported(Array("notes".utf8), Array("more".utf8)) }
        // Without the file the others do not have all records.
        options = ArchiveImporter.Options()
        options.keepsOriginals = true
        try imported(good, Array("notes".utf8), options: options)
        #expect(throws: ArchiveError.self) { try imported.exported(isExact: true) }
    }
}

/// The syntax of WARC files, which counts the heads that it parses.
private struct CountingSyntax: RecordSyntax {
    final class Count { var value = 0 }
    let parsed = Count()
    private let own = WARCSyntax()

    var maximumStartLength: Int { own.maximumStartLength }
    func isStart(_ bytes: ArraySlice<UInt8>) -> Bool { own.isStart(bytes) }
    func head(_ bytes: ArraySlice<UInt8>, offset: UInt64) -> (head: RecordHead?, length: Int)? {
        parsed.value += 1
        return own.head(bytes, offset: offset)
    }
}

/// Bytes in memory as an input.
private final class MemoryInput: ByteInput {
    private var rest: ArraySlice<UInt8>
    private(set) var fileOffset: UInt64 = 0
    let name = "memory"
    let isPlain = true

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let count = min(buffer.count, rest.count)
        buffer.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        fileOffset += UInt64(count)
        return count
    }

    func skipDamage() throws(ArchiveError) -> Bool { true }
}
