// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Inputs that have the temporary name of the output, as a file that is rescued from an unfinished run has.
@Suite struct TemporaryNameTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("site/index.html", Array("<title>Only copy</title>".utf8))
        for arguments in [
            ["key", "create", "k"],
            ["pack", "site", "-o", "a.webarc", "--base-url", "https://a.test/", "--sign", "k"],
            ["diff", "a.webarc", "a.webarc", "-o", "p"],
        ] {
            let result = try WebarcTool.run(arguments, in: folder.url)
            try #require(result.status == 0, "\(result.errorText)")
        }
        try folder.write("x.webarc.partial", folder.read("a.webarc"))
    }

    @Test(arguments: [
        ["compact", "x.webarc.partial", "-o", "x.webarc"],
        ["extract", "x.webarc.partial", "-o", "x.webarc", "--include", "/**"],
        ["merge", "x.webarc.partial", "a.webarc", "-o", "x.webarc"],
        ["heal", "x.webarc.partial", "--from", "a.webarc", "-o", "x.webarc"],
        ["heal", "a.webarc", "--from", "x.webarc.partial", "-o", "x.webarc"],
        ["patch", "x.webarc.partial", "p", "-o", "x.webarc"],
        ["pack", "site", "-o", "x.webarc", "--like", "x.webarc.partial"],
        ["diff", "x.webarc.partial", "a.webarc", "-o", "x.webarc"],
    ])
    func theInputStays(_ arguments: [String]) throws {
        let before = try folder.read("x.webarc.partial")
        let result = try WebarcTool.run(arguments, in: folder.url)
        #expect(result.status == 64, "\(result.status) \(result.errorText)")
        #expect(result.errorText.contains("x.webarc.partial: "), "\(result.errorText)")
        #expect(try folder.read("x.webarc.partial") == before)
    }

    @Test func aPipeIsNotReplacedByAPatch() throws {
        try #require(ExternalTool.run(["mkfifo", "pipe"], in: folder.url).status == 0)
        let result = try WebarcTool.run(["diff", "a.webarc", "a.webarc", "-o", "pipe"], in: folder.url)
        #expect(result.status == 73 && result.errorText.contains("not a regular file"), "\(result.errorText)")
        #expect(try ExternalTool.run(["test", "-p", "pipe"], in: folder.url).status == 0)
    }
}
