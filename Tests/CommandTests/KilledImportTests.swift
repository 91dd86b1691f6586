// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

/// Tests of imports that are killed, and of the same command after that.
@Suite struct KilledImportTests {
    private let folder = try! TemporaryFolder()  // A test without a folder has nothing to say.
    private let input: FilePath

    init() throws {
        var bytes: [UInt8] = []
        for number in 0..<2_500 {
            let (url, text) = ("http://a/\(number % 2_000)", String(repeating: "\(number) ", count: 40))
            for (type, block) in [
                ("request", "GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n"),
                ("response", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n\(text)"),
            ] {
                bytes +=
                    "WARC/1.1\r\nWARC-Type: \(type)\r\nWARC-Target-URI: \(url)\r\nWARC-Date: 2020-01-01T0\(number / 1_000):00:00Z\r\nContent-Length: \(block.utf8.count)\r\n\r\n\(block)\r\n\r\n"
                    .utf8
            }
        }
        input = try folder.write("in.warc", bytes)
    }

    private func arguments(_ archive: String, every size: String = "64K") -> [String] {
        ["import", "--exact", input.string, "-o", folder.path(archive).string, "--commit-every", size, "--quiet"]
    }

    /// Returns the lines of the entries in an order of their own, for captures of a URL are listed by commit.
    private func entries(_ archive: String) throws -> [String] {
        let listed = try WebarcTool.run(["ls", "--json", archive], in: folder.url)
        try #require(listed.status == 0, "\(listed.errorText)")
        return listed.lines.sorted()
    }

    /// Killed after several numbers of commits, the archive has what was committed, and the same command makes it whole.
    @Test(arguments: [SIGKILL, SIGTERM]) func signals(_ signal: Int32) throws {
        let whole = try WebarcTool.run(arguments("whole.webarc", every: "0"), in: folder.url)
        try #require(whole.status == 0, "\(whole.errorText)")
        let expected = try entries("whole.webarc")
        let path = folder.path("a.webarc")
        func commitCount() -> Int { (try? ArchiveReader(path: path).commitCount) ?? 0 }
        var killed = 0
        for least in signal == SIGKILL ? [1, 4, 7] : [2] {
            let tool = try RunningTool([WebarcTool.path] + arguments("a.webarc"))
            // Each run goes on behind the last one.
            #expect(waits(until: { commitCount() >= least }))
            tool.signal(signal)
            let status = tool.result().status
            killed += status == 0 ? 0 : 1
            guard status != 0 else { break }
            #expect(try WebarcTool.run(["verify", "a.webarc"], in: folder.url).status == 0)
            if signal == SIGTERM { #expect(tool.errorText.contains("continues behind"), "\(tool.errorText)") }
        }
        #expect(killed > 0)
        let before = commitCount()
        let last = try WebarcTool.run(arguments("a.webarc"), in: folder.url)
        #expect(last.status == 0 && commitCount() > before, "\(last.errorText)")
        #expect(try entries("a.webarc") == expected)
        let exported = try WebarcTool.run(["export", "--exact", "a.webarc", "-o", "out.warc"], in: folder.url)
        #expect(exported.status == 0, "\(exported.errorText)")
        #expect(try ExternalTool.run(["cmp", "in.warc", "out.warc"], in: folder.url).status == 0)
    }
}
