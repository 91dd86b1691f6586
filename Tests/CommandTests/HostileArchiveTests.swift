// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

/// Archives that stand for far more than they hold: each command ends, in bounded memory, and says why.
@Suite("Archives that are made to cost much")
struct HostileArchiveTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let kind: String
        let arguments: [String]
        var status: Int32 = 0
        var message = ""
        var testDescription: String { "\(arguments.joined(separator: " ")) of \(kind)" }

        init(_ kind: String, _ arguments: String, status: Int32 = 0, _ message: String = "") {
            self.kind = kind
            self.arguments = arguments.split(separator: " ").map(String.init)
            self.status = status
            self.message = message
        }
    }

    /// `FILE` and `OUT` stand for the archive and for a place to write to, `LIST` for a long field.
    static let cases = [
        Case("dictionaries-of-one-block", "info FILE"),
        Case("dictionaries-of-zeros", "compact FILE -o OUT", status: 1, "the dictionaries exceed"),
        Case("redirects-of-one-tag", "verify --quick FILE"), Case("targets-in-turn", "verify --quick FILE"),
        Case("lists-of-long-names", "verify FILE", status: 1),
        Case("metadata-in-turn", "verify --quick FILE"),
        Case("blocks-that-are-none", "verify FILE", status: 1),
        Case("rows-of-many-findings", "verify FILE", status: 1),
        Case("rows-of-wrong-values", "verify --quick FILE", status: 1),
        Case("metadata-of-one-value", "info FILE", status: 1, "exceeds 16777216 bytes"),
        Case("metadata-of-one-value", "compact FILE -o OUT", status: 1, "exceeds 16777216 bytes"),
        Case("metadata-of-one-value", "verify --quick FILE"),
        Case("folders-in-many-commits", "unpack FILE -C OUT", status: 1, "bytes of the index"),
        Case("deep-paths", "unpack FILE -C OUT", status: 1, "folders deep; the limit is"),
        Case("body-of-all", "unpack FILE -C OUT", status: 1, "raise the limit with --max-size"),
        Case("vary-of-long-lists", "why FILE http://example.org/", status: 1, "bytes of the index"),
        Case("dictionaries-of-one-name", "compact FILE -o OUT", status: 1, "the dictionaries exceed"),
        Case("long-blocks-among-short-ones", "info FILE"),
        Case("metadata-of-one-long-name", "info FILE"),
        Case("vary-of-many-long-names", "why FILE http://example.org/?q", status: 1),
        Case("vary-of-names-out-of-order", "why FILE http://example.org/", status: 1),
        Case("queries-of-many-parameters", "why FILE http://example.org/?q --ignore-parameter _", status: 1),
        Case("lists-of-no-bytes", "index --plist FILE", status: 1, "hardly a byte each"),
        Case("bodies-of-one-digest-in-turn", "compact FILE -o OUT", status: 1, "different bodies share a digest"),
        Case("vary-of-one-name", "why FILE http://example.org/ -H LIST", status: 0),
        Case("folders-of-their-own", "unpack FILE -C OUT", status: 1, "raise the limit with --max-size"),
        Case("many-hosts", "ca create FILE --authority OUT", status: 1, "exceed the limit of 1000"),
        Case("headers-of-all", "ls -l FILE"), Case("headers-of-all", "info FILE"),
        Case("headers-of-all", "verify --quick FILE"),
        Case("method-of-all", "ls -l FILE"), Case("method-of-all", "verify --quick FILE"),
        Case("media-type-of-all", "ls -l FILE"),
        Case("target-of-all", "ls FILE"),
        Case("url-of-all", "verify --quick FILE"), Case("url-of-all", "info FILE"),
        Case("key-of-all", "verify FILE"),
        Case("lengths-beyond-counting", "ls -l FILE"), Case("lengths-of-many-entries", "ls -l FILE"),
        Case("sparse-index", "verify --quick FILE", status: 1),
        Case("ambiguous-digest", "compact FILE -o OUT"),
        Case("bodies-through-many-blocks", "info FILE"),
        Case("bodies-through-many-blocks", "compact FILE -o OUT", status: 1),
        Case("bodies-of-one-digest", "compact FILE -o OUT", status: 1, "different bodies share a digest"),
        Case("free-rows-of-one-commit", "info FILE"), Case("free-rows-of-one-commit", "compact FILE -o OUT"),
        Case("free-rows-of-one-commit", "index --plist FILE"),
        Case("free-rows-of-damaged-blocks", "compact FILE -o OUT", status: 1),
        Case("free-rows-of-many-commits", "info FILE", status: 1, "width 0; the limit is"),
        Case("bad-key", "compact FILE -o OUT", status: 1, "left out"),
        Case("bad-key", "merge FILE FILE -o OUT", status: 1),
        Case("bad-key", "extract FILE -o OUT --include **", status: 1, "left out"),
        Case("ambiguous-digest", "merge FILE FILE -o OUT"),
        Case("bodies-of-one-digest", "merge FILE FILE -o OUT", status: 1, "different bodies share a digest"),
        Case("bodies-of-one-digest-in-turn", "merge FILE FILE -o OUT", status: 1, "different bodies share a digest"),
        Case("bodies-through-many-blocks", "merge FILE FILE -o OUT", status: 1),
        Case("dictionaries-of-zeros", "merge FILE FILE -o OUT", status: 1, "the dictionaries exceed"),
        Case("free-rows-of-one-commit", "merge FILE FILE -o OUT"),
        Case("metadata-of-one-value", "merge FILE FILE -o OUT", status: 1, "exceeds 16777216 bytes"),
        Case("headers-of-all", "merge FILE FILE -o OUT", status: 1, "bytes of the index"),
        Case("url-of-all", "merge FILE FILE -o OUT", status: 1, "bytes of the index"),
        Case("bad-key", "compact FILE", status: 0),
        Case("bad-target", "compact FILE -o OUT", status: 1, "the redirect target is not an absolute URL"),
        Case("bad-target", "cat -L FILE http://example.org/a", status: 1, "the redirect target is not an absolute URL"),
    ]

    /// Those that take longest, up to a minute with debug programs on a slow machine.
    static let largeCases = [
        Case("long-paths", "unpack FILE -C OUT -q"), Case("target-of-all", "verify --quick FILE"),
        Case("lengths-beyond-counting", "info FILE"), Case("lengths-beyond-counting", "info --json FILE"),
        Case("key-of-all", "info FILE", status: 1, "bytes of the index"),
        Case("key-of-all", "ls FILE", status: 1, "bytes of the index"),
        Case("lists-in-every-row", "verify --quick FILE"),
        Case("responses-of-no-bytes", "index --plist FILE", status: 1, "hardly a byte each"),
    ]

    /// The cases by the kind of their archive, which is written once.
    static let casesByKind = Dictionary(grouping: LargeTests.areEnabled ? cases + largeCases : cases, by: \.kind)

    @Test(arguments: casesByKind.keys.sorted()) func ends(_ kind: String) throws {
        let folder = try TemporaryFolder()
        let file = folder.path("hostile.webarc")
        try HostileArchive.write(kind, to: file)
        // The command that replaces the archive is the last of its kind.
        for test in Self.casesByKind[kind] ?? [] {
            let out = folder.path("out")
            defer { try? FileManager.default.removeItem(atPath: out.string) }
            let places = [
                "FILE": file.string, "OUT": out.string, "LIST": "x-a: " + String(repeating: ",", count: 8000),
            ]
            let outcome = try HostileArchive.run([WebarcTool.path] + test.arguments.map { places[$0] ?? $0 })
            let comment: Comment = "\(test): \(outcome.errors)"
            #expect(outcome.status == test.status, comment)
            #expect(test.message.isEmpty || outcome.errors.contains(test.message), comment)
            #expect(outcome.memory < 256 << 20, "\(test): \(outcome.memory) bytes of memory")
        }
    }

    /// The readable part of an archive with a damaged key is in the compacted archive.
    @Test func compactingLeavesOutWhatIsDamaged() throws {
        let folder = try TemporaryFolder()
        let (file, out) = (folder.path("bad.webarc"), folder.path("out.webarc"))
        try HostileArchive.write("bad-key", to: file)
        #expect(try WebarcTool.run("compact", file.string, "-o", out.string).status == 1)
        let list = try WebarcTool.run("ls", out.string)
        #expect(list.text == "http://example.org/a\nhttp://example.org/z\n", "\(list.errorText)")
        #expect(try WebarcTool.run("verify", out.string).status == 0)
    }

    @Test func aLargerSizeIsAllowed() throws {
        let folder = try TemporaryFolder()
        let archive = try SampleArchive()
        let refused = try WebarcTool.run(
            "unpack", archive.file, "-C", folder.path("out").string, "--max-size", "1K")
        #expect(
            refused.status == 1 && refused.errorText.contains("exceed 1024 bytes in total"), "\(refused.errorText)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("out").string))
        #expect(
            try WebarcTool.run("unpack", archive.file, "-C", folder.path("out").string, "--max-size", "1M").status == 0)
    }
}
