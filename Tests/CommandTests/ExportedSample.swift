// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

/// An archive and its exports, for the tools of others.
struct ExportedSample {
    /// The content of the archive.
    enum Kind: CaseIterable, CustomTestStringConvertible {
        /// An import of odd records. False ones would be exported as they are, and what checks them would say so.
        case odd
        /// A small archive with redirects, aliases, and captures of one second.
        case site
        /// A folder of Debian's package python3.11-doc.
        case documentation

        static let documents = "/usr/share/doc/python3.11/html/howto"

        /// Those that can be made on this machine.
        static let possible = allCases.filter {
            $0 != .documentation || FileManager.default.fileExists(atPath: documents)
        }

        var testDescription: String { "\(self)" }
    }

    let folder: TemporaryFolder
    var archive: FilePath { folder.path("sample.webarc") }

    /// Creates a sample whose archive the test writes.
    init(folder: TemporaryFolder) { self.folder = folder }

    init(_ kind: Kind) throws {
        guard kind != .site else {
            folder = try SampleArchive(commits: 3).folder
            return
        }
        folder = try TemporaryFolder()
        if kind == .documentation {
            try webarc("pack", Kind.documents, "-o", archive.string, "--base-url", "https://docs.example/", "--quiet")
            return
        }
        let odd = OddWARC(SeededGenerator.printed(), records: 400, isSound: true)
        try folder.write("odd.warc", odd.bytes)
        try webarc("import", "odd.warc", "-o", archive.string, "--quiet")
    }

    /// Runs webarc in the folder of the sample.
    func webarc(_ arguments: String...) throws {
        let result = try WebarcTool.run(arguments, in: folder.url)
        try #require(result.status == 0, "\(arguments): \(result.errorText)")
    }

    /// Exports the archive, and returns the path of the file.
    func exported(_ name: String) throws -> FilePath {
        try webarc("export", archive.string, "-o", name, "--quiet")
        return folder.path(name)
    }
}
