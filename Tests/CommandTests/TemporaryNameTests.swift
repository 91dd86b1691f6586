// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
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
        try FileManager.default.createDirectory(
            atPath: folder.path("link").string, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link/page").string, withDestinationPath: "../x.webarc.partial")
    }

    @Test(arguments: [
        ["compact", "x.webarc.partial", "-o", "x.webarc"],
        ["extract", "x.webarc.partial", "-o", "x.webarc", "--include", "/**"],
        ["merge", "x.webarc.partial", "a.webarc", "-o", "x.webarc"],
        ["heal", "x.webarc.partial", "--from", "a.webarc", "-o", "x.webarc"],
        ["heal", "a.webarc", "--from", "x.webarc.partial", "-o", "x.webarc"],
        ["patch", "x.webarc.partial", "p", "-o", "x.webarc"],
        ["pack", "site", "-o", "x.webarc", "--like", "x.webarc.partial"],
        ["pack", "x.webarc.partial", "-o", "x.webarc"],
        ["pack", "site", "x.webarc.partial", "-o", "x.webarc"],
        ["pack", "link", "-o", "x.webarc", "--allow-outside-links"],
        ["diff", "x.webarc.partial", "a.webarc", "-o", "x.webarc"],
        ["import", "x.webarc.partial", "-o", "x.webarc"],
    ])
    func theInputStays(_ arguments: [String]) throws {
        let before = try folder.read("x.webarc.partial")
        let result = try WebarcTool.run(arguments, in: folder.url)
        #expect(result.status == 64, "\(result.status) \(result.errorText)")
        #expect(result.errorText.contains("x.webarc.partial: "), "\(result.errorText)")
        #expect(try folder.read("x.webarc.partial") == before)
    }

    @Test func aSourceStaysWhenItIsAppended() throws {
        try folder.write("x.webarc", folder.read("a.webarc"))
        try theInputStays(["pack", "x.webarc.partial", "-o", "x.webarc", "--append"])
    }

    @Test(arguments: [
        ["pack", "site", "-o", "x", "--base-url", "https://a.test/", "--sign", "x.partial"],
        ["pack", "site", "-o", "a.webarc", "--append", "--sign", "a.webarc.partial"],
        ["merge", "a.webarc", "-o", "x", "--sign", "x.partial"],
        ["sign", "a.webarc", "--key", "a.webarc.partial", "--series", "s", "--sequence", "9000000000"],
        ["extract", "a.webarc", "-o", "x", "--include", "/**", "--key", "x.partial"],
        ["key", "endorse", "k.pub", "--key", "x.partial", "-o", "x"],
        ["key", "endorse", "x.partial", "--key", "k", "-o", "x"],
        ["key", "revoke", "x.partial", "-o", "x"],
        ["release", "public", "a.webarc", "--sign", "public/updates.json.partial", "--force"],
    ])
    func theKeyStays(_ arguments: [String]) throws {
        let name = try #require(arguments.first { $0.hasSuffix(".partial") })
        try folder.write(name, folder.read("k"))
        try #require(chmod(folder.path(name).string, 0o600) == 0)
        let result = try WebarcTool.run(arguments, in: folder.url)
        #expect(result.status == 64, "\(result.status) \(result.errorText)")
        #expect(result.errorText.contains("\(name): the input has"), "\(result.errorText)")
        #expect(try folder.read(name) == folder.read("k"))
    }

    @Test func aPipeIsNotReplacedByAPatch() throws {
        try #require(ExternalTool.run(["mkfifo", "pipe"], in: folder.url).status == 0)
        let result = try WebarcTool.run(["diff", "a.webarc", "a.webarc", "-o", "pipe"], in: folder.url)
        #expect(result.status == 73 && result.errorText.contains("not a regular file"), "\(result.errorText)")
        #expect(try ExternalTool.run(["test", "-p", "pipe"], in: folder.url).status == 0)
    }
}
