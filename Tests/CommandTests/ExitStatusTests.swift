// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Exit statuses and errors in one line")
struct ExitStatusTests {
    private static let readers = [
        ["ls"], ["info"], ["verify"], ["cat"], ["unpack"], ["compact"], ["why"], ["index"], ["get"],
        ["extract"], ["merge"],
    ]

    /// The arguments that a command needs besides the archive.
    private func arguments(_ command: [String], _ file: String, _ folder: TemporaryFolder) -> [String] {
        switch command[0] {
        case "cat", "why": command + [file, SampleArchive.base + "index.html"]
        case "get": ["get", SampleArchive.base + "index.html", file, "--policy", "archive-only", "--quiet"]
        case "unpack": command + [file, "-C", folder.path("out").string]
        case "extract": command + [file, "-o", folder.path("out.webarc").string, "--exclude", "img/"]
        case "merge": command + [file, file, "-o", folder.path("out.webarc").string]
        case "index": command + [file, "--plist", "-o", folder.path("out.plist").string]
        default: command + [file]
        }
    }

    private func expectOneLine(_ result: ExternalTool.Result, _ note: String, naming file: String? = nil) {
        #expect(result.errorLines.count == 1, "\(note): \(result.errorText)")
        #expect(result.errorText.hasPrefix("webarc: "), "\(note): \(result.errorText)")
        #expect(result.errorText.hasSuffix("\n") && !result.errorText.contains("Fatal"), "\(note)")
        if let file { #expect(result.errorText.contains(file), "\(note): \(result.errorText)") }
    }

    @Test(arguments: readers)
    func wholeArchiveGives0(_ command: [String]) throws {
        let sample = try SampleArchive()
        let result = try WebarcTool.run(arguments(command, sample.file, sample.folder))
        #expect(result.status == 0 && result.errorText.isEmpty, "\(result.errorText)")
    }

    @Test(arguments: readers)
    func missingFileGives74(_ command: [String]) throws {
        let folder = try TemporaryFolder()
        let result = try WebarcTool.run(arguments(command, folder.path("no.webarc").string, folder))
        #expect(result.status == 74)
        expectOneLine(result, command[0], naming: "no.webarc")
    }

    @Test(arguments: readers)
    func folderGives74(_ command: [String]) throws {
        let folder = try TemporaryFolder()
        let result = try WebarcTool.run(arguments(command, folder.url.path, folder))
        #expect(result.status == 74)
        expectOneLine(result, command[0])
    }

    @Test(arguments: readers)
    func otherKindOfFileGives2(_ command: [String]) throws {
        let folder = try TemporaryFolder()
        for bytes in [[], Array("PK\u{3}\u{4}".utf8), [UInt8](repeating: 0, count: 5000)] {
            let file = try folder.write("foreign", bytes).string
            let result = try WebarcTool.run(arguments(command, file, folder))
            #expect(result.status == 2)
            expectOneLine(result, command[0], naming: file)
        }
    }

    @Test(arguments: readers)
    func laterVersionGives2(_ command: [String]) throws {
        let sample = try SampleArchive()
        let file = try sample.damaged { $0[11] = 2 }
        let result = try WebarcTool.run(arguments(command, file, sample.folder))
        #expect(result.status == 2)
        expectOneLine(result, command[0], naming: file)
    }

    @Test(arguments: readers)
    func cutFileGives1(_ command: [String]) throws {
        let sample = try SampleArchive()
        let file = try sample.damaged { $0.removeLast(10) }
        let result = try WebarcTool.run(arguments(command, file, sample.folder))
        #expect(result.status == 1)
        expectOneLine(result, command[0], naming: file)
        #expect(result.errorText.contains("(byte "))
    }

    @Test(arguments: [["ls"], ["info"], ["cat"], ["verify"], ["why"]])
    func damagedIndexGives1(_ command: [String]) throws {
        let sample = try SampleArchive()
        // Strings lie in the index, which is a single page here.
        let file = try sample.damaged { bytes in
            if let place = bytes.firstRange(of: Array("image/png".utf8)) { bytes[place.lowerBound] ^= 0x11 }
        }
        let result = try WebarcTool.run(arguments(command, file, sample.folder))
        #expect(result.status == 1, "\(command)")
    }

    @Test func wrongUsageGives64() throws {
        let cases = [
            ["nonsense"], ["pack"], ["pack", "x"], ["pack", "x", "-o", "y", "--level", "13"],
            ["pack", "x", "-o", "y", "--level", "quick"], ["pack", "x", "-o", "y", "--base-url", "example.org"],
            ["pack", "x", "-o", "y", "--base-url", "https://example.org/?a"],
            ["pack", "x", "-o", "y", "--time", "yesterday"],
            ["pack", "x", "-o", "y", "--time", "2025-02-30T00:00:00Z"],
            ["pack", "x", "-o", "y", "--time", "2025-02-30"], ["serve", "x", "--at", "2020"],
            ["why", "x", "http://a/", "--without-rule", "exact"], ["why", "x", "http://a/", "--content-type", "a/b"],
            ["why", "x", "http://a/", "--data", "a", "--body-digest", String(repeating: "0", count: 32)],
            ["pack", "x", "-o", "y", "--threads", "0"], ["pack", "x", "-o", "y", "--exclude", "["],
            ["pack", "x", "-o", "y", "--date", "soon"], ["pack", "x", "-o", "y", "--language", "de AT"],
            ["unpack", "x"], ["unpack", "x", "-C", "y", "--layout", "tree"],
            ["unpack", "x", "-C", "y", "--url", "docs/"],
            ["verify"], ["cat", "x"], ["cat", "x", "no-url"], ["ls", "x", "--long", "--json"],
            ["info", "x", "--depth", "-1"],
            ["fetch"], ["fetch", "http://a/"], ["fetch", "-o", "x"], ["fetch", "example.org", "-o", "x"],
            ["fetch", "ftp://example.org/", "-o", "x"], ["fetch", "http://me:secret@example.org/", "-o", "x"],
            ["fetch", "http://a/", "-o", ""], ["fetch", "http://a/", "-o", "x", "--timeout", "0"],
            ["fetch", "http://a/", "-o", "x", "--timeout", "soon"],
            ["fetch", "http://a/", "-o", "x", "--max-size", "-1"],
            ["fetch", "http://a/", "-o", "x", "--header", "A: b\r\nC: d"],
            ["fetch", "http://a/", "-o", "x", "-H", "A b: c"],
            ["fetch", "http://a/", "-o", "x", "--method", "G E T"], ["fetch", "http://a/", "-o", "x", "-X", "CONNECT"],
            ["fetch", "http://a/", "-o", "x", "-X", "GET", "--data", "a"],
            ["fetch", "http://a/", "-o", "x", "--user-agent", "a\nb"],
            ["get", "http://a/"], ["get", "a", "x"], ["get", "http://a/", "x", "--policy", "guess"],
            ["get", "http://a/", "x", "--fresh-for", "1m"],
            ["get", "http://a/", "x", "--policy", "stale-while-revalidate", "--fresh-for", "3d"],
            ["get", "http://a/", "x", "--policy", "stale-while-revalidate", "--fresh-for", "1 day"],
            ["get", "http://a/", "x", "--keep-credentials"], ["get", "http://a/", "x", "--head", "-o", "y"],
            ["ls", "x", "y"], ["why", "x"], ["why", "x", "http://a/", "--ignore-parameter", ""], ["index"],
            ["extract", "x"], ["extract", "x", "-o", "y"], ["extract", "x", "-o", "", "--include", "a"],
            ["extract", "x", "-o", "y", "--include", "["], ["extract", "x", "-o", "y", "--exclude", ""],
            ["split"], ["split", "x", "--size", "0"], ["split", "x", "--size", "4X"], ["split", "x", "-o", ""],
            ["join"], ["join", "x.001", "-o", ""], ["merge", "x"], ["merge", "-o", "y"], ["merge", "x", "-o", ""],
            ["merge", "x", "-o", "y", "--series", "s"],
            ["compact"], ["serve", "x", "--name", "a b"], ["serve", "x", "--name", "https://x.example/"],
            ["serve", "x", "--name", ""], ["serve", "x", "--name", "*"], ["serve", "x", "--name", "a.example/b"],
            ["serve", "x", "--ignore-parameter", ""], ["serve", "x", "--max-connections", "-1"],
            ["kiosk", "x", "--name", "a b"], ["kiosk", "x", "--browser", ""], ["kiosk", "x", "--memory", "-1"],
            ["help", "nonsense"], ["help", "pack", "nonsense"], ["help", "ca", "nonsense"],
        ]
        let folder = try TemporaryFolder()
        for arguments in cases {
            let result = try WebarcTool.run(arguments, in: folder.url)
            #expect(result.status == 64, "\(arguments): \(result.errorText)")
            expectOneLine(result, "\(arguments)")
            #expect(result.errorText.contains("--help"), "\(arguments): \(result.errorText)")
            #expect(result.text.isEmpty)
        }
    }

    private static let forms: [([String], String)] = [
        (["unpack", "x", "-C", "y", "--max-size", "10x"], "with K, M or G, such as 64M"),
        (["unpack", "x", "-C", "y", "--max-size", "-1"], "with K, M or G, such as 64M"),
        (["unpack", "x", "-C", "y", "--url", "docs/"], "such as https://example.org/docs/"),
        (["pack", "x", "-o", "y", "--level", "13"], "--level takes fast or 1 to 12, not '13';"),
        (["pack", "x", "-o", "y", "--time", "soon"], "such as 2025-01-31T12:00:00Z"),
        (["pack", "x", "-o", "y", "--threads", "-1"], "a number from 1 to 1024"),
        (["get", "http://a/", "x", "--timeout", "soon"], "such as 500ms"),
        (["info", "x", "--depth", "-1"], "a number from 0 to 100"),
        (["serve", "x", "--port", "99999"], "a number from 0 to 65535"),
        (["serve", "x", "--port", "-1"], "a number from 0 to 65535"),
        (["kiosk", "x", "--port", "99999"], "a number from 0 to 65535"),
        (["kiosk", "x", "--idle", "-5"], "seconds from 0 to 1000000"),
        (["kiosk", "x", "--browser", " "], "the name or the path of a program"),
        (["help", "nix"], "unknown command 'nix';"), (["help", "ca", "nix"], "unknown command 'ca nix';"),
        (["pak"], "unknown command 'pak'; did you mean 'pack'?"), (["pakc", "x"], "did you mean 'pack'?"),
        (["help", "pak"], "unknown command 'pak'; did you mean 'pack'?"),
        (["frobnicate"], "unknown command 'frobnicate';"),
        (["ca", "shwo"], "unknown command 'ca shwo'; did you mean 'ca show'?"),
        (["pack"], "the argument <source> is missing"), (["pack", "x"], "the option --output is missing"),
        (["pack", "x", "-o"], "the option -o has no value"),
        (["unpack", "x", "-C", "y", "--layout", "tree"], "--layout takes host or flat, not 'tree'"),
        (["get", "http://a/", "x", "--policy", "guess"], "http or network-only, not 'guess'"),
        (["serve", "x", "--port", "x"], "--port takes a whole number, not 'x'"),
        (["why", "x", "http://a/", "-H", "x"], "-H takes a header field such as"),
    ]

    /// A wrong value is reported with the form or the range of a right one.
    @Test(arguments: forms)
    func theFormOfAValue(_ arguments: [String], _ form: String) throws {
        let result = try WebarcTool.run(arguments)
        #expect(result.status == 64)
        expectOneLine(result, "\(arguments)", naming: form)
    }

    @Test(arguments: ["kiosk.local", "KIOSK", "192.0.2.7", "::1", "[2001:db8::1]", "a_b.example:8080", "a.example."])
    func namesOfAServer(_ name: String) throws {
        let folder = try TemporaryFolder()
        let result = try WebarcTool.run("serve", folder.path("none").string, "--name", name)
        #expect(result.status == 74, "\(result.errorText)")
    }

    @Test func wrongEpochGives64() throws {
        let folder = try TemporaryFolder()
        try folder.write("site/index.html", "x".utf8)
        let result = try WebarcTool.run(
            "pack", "site", "-o", "x.webarc", in: folder.url, environment: ["SOURCE_DATE_EPOCH": "now"])
        #expect(result.status == 64)
        expectOneLine(result, "epoch", naming: "SOURCE_DATE_EPOCH")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDeviceGives74() throws {
        let sample = try SampleArchive()
        let result = try ExternalTool.run(["sh", "-c", "'\(WebarcTool.path)' ls '\(sample.file)' > /dev/full"])
        #expect(result.status == 74)
        expectOneLine(result, "full", naming: "standard output")
    }

    @Test func brokenPipeEndsSilently() throws {
        let sample = try SampleArchive()
        for list in ["ls", "ls --json", "info", "cat"] {
            let url = list == "cat" ? " \(SampleArchive.base)img/a.png" : ""
            // `sleep` makes sure that `true` has gone before anything is written.
            let result = try ExternalTool.run([
                "sh", "-c", "(sleep 0.2; exec '\(WebarcTool.path)' \(list) '\(sample.file)'\(url)) | true",
            ])
            #expect(result.status == 0 && result.errorText.isEmpty, "\(list): \(result.errorText)")
        }
    }
}
