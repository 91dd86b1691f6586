// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import WebArchive

@testable import WebArchiveInterchange

/// HAR files that are made for a test, and the archive of their import.
struct HARFile {
    let folder = try! TemporaryFolder()  // A test without a folder has nothing to say.
    var path: FilePath { folder.path("a.webarc") }

    /// The text of a file.
    static func text(_ entries: [String], pages: String = "[]") -> String {
        let log = #""version": "1.2", "creator": {"name": "test", "version": "1"}, "pages": \#(pages)"#
        return #"{"log": {\#(log), "entries": [\#(entries.joined(separator: ",\n"))]}}"#
    }

    /// The text of an entry.
    static func entry(
        _ url: String, method: String = "GET", status: Int = 200, request: String = "",
        headers: [(String, String)] = [],
        content: String = #""size": 0, "text": """#, response: String = "", other: String = ""
    ) -> String {
        let fields = headers.map { #"{"name": "\#($0)", "value": "\#($1)"}"# }.joined(separator: ", ")
        return #"""
            {"startedDateTime": "2020-01-01T00:00:00.000Z", "time": 1.5, \#(other)
             "request": {"method": "\#(method)", "url": "\#(url)", "httpVersion": "HTTP/1.1", \#(request) "headers": []},
             "response": {"status": \#(status), "statusText": "", "httpVersion": "http/2.0", \#(response)
               "headers": [\#(fields)], "content": {\#(content)}, "redirectURL": ""},
             "cache": {}, "timings": {"send": 0, "wait": 0, "receive": 0}}
            """#
    }

    /// Imports a text.
    @discardableResult
    func callAsFunction(
        _ text: String, options: ArchiveImporter.Options = ArchiveImporter.Options()
    ) throws -> ArchiveImporter.Summary {
        try self(bytes: Array(text.utf8), options: options)
    }

    @discardableResult
    func callAsFunction(
        bytes: [UInt8], options: ArchiveImporter.Options = ArchiveImporter.Options()
    ) throws -> ArchiveImporter.Summary {
        try ArchiveImporter(into: path, options: options).run([folder.write("0.har", bytes)])
    }

    /// Returns the newest entry of a URL.
    func entry(_ url: String) throws -> ArchiveEntry? { try ArchiveReader(path: path).entries(prefix: url).first }

    /// Returns the body of the newest response to a GET.
    func body(_ url: String) throws -> String? {
        let entry = try ArchiveReader(path: path).entry(for: CanonicalURL(url))
        return try entry?.body.map { String(decoding: try $0.bytes(), as: UTF8.self) }
    }

    /// Returns the bytes of an export.
    static func exported(_ archive: FilePath) throws -> [UInt8] {
        let collected = ByteCollector()
        try HARExporter(ArchiveReader(path: archive)).write { bytes throws(ArchiveError) in
            collected.append(Array(bytes))
        }
        return collected.all
    }
}
