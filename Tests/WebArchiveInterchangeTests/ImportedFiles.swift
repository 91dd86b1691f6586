// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

/// WARC files that are made for a test, and the archive of their import.
struct ImportedFiles {
    let folder = try! TemporaryFolder()  // A test without a folder has nothing to say.
    var path: FilePath { folder.path("a.webarc") }

    /// A record; the length of the block is added.
    static func record(_ type: String, _ url: String, _ fields: [String] = [], _ block: String) -> [UInt8] {
        let head =
            ["WARC/1.1", "WARC-Type: \(type)", "WARC-Target-URI: \(url)", "WARC-Date: 2020-01-01T00:00:00Z"]
            + fields + ["Content-Length: \(block.utf8.count)", "", ""]
        return Array((head.joined(separator: "\r\n") + block + "\r\n\r\n").utf8)
    }

    static func response(_ url: String, _ body: String, _ fields: [String] = []) -> [UInt8] {
        record("response", url, fields, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n\(body)")
    }

    /// Imports files.
    @discardableResult
    func callAsFunction(
        _ files: [UInt8]..., options: ArchiveImporter.Options = ArchiveImporter.Options()
    ) throws -> ArchiveImporter.Summary {
        let paths = try files.enumerated().map { try folder.write("\($0).warc", $1) }
        return try ArchiveImporter(into: path, options: options).run(paths)
    }

    /// Returns the body of the newest response to a GET.
    func body(_ url: String) throws -> String? {
        let entry = try ArchiveReader(path: path).entry(for: CanonicalURL(url))
        return try entry?.body.map { String(decoding: try $0.bytes(), as: UTF8.self) }
    }

    /// Returns the bytes of an export.
    func exported(_ archive: FilePath? = nil, isExact: Bool = false) throws -> [UInt8] {
        var exporter = WARCExporter(try ArchiveReader(path: archive ?? path))
        (exporter.restoresOriginals, exporter.isCompressed) = (isExact, false)
        let collected = ByteCollector()
        try exporter.write { bytes throws(ArchiveError) in collected.append(Array(bytes)) }
        return collected.all
    }

    /// Compresses bytes as one gzip member.
    func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
        try folder.write("one", bytes)
        return Array(try ExternalTool.run(["gzip", "-nc", folder.path("one").string]).output)
    }
}
