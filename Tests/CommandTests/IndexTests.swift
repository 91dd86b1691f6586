// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("index")
struct IndexTests {
    @Test func pythonReadsThePropertyList() throws {
        let sample = try SampleArchive(commits: 2)
        let target = sample.folder.path("index.plist").string
        #expect(try WebarcTool.run("index", sample.file, "--plist", "-o", target).status == 0)
        let piped = try WebarcTool.run("index", sample.file, "--plist")
        #expect(try piped.status == 0 && Array(piped.output) == sample.folder.read("index.plist"))
        // The only form so far is the default.
        #expect(try WebarcTool.run("index", sample.file).output == piped.output)
        let script = """
            import plistlib, sys
            top = plistlib.load(open(sys.argv[1], "rb"))
            assert top["$archiver"] == "NSKeyedArchiver" and set(top["$top"]) == {
                "entries", "metadata", "bodies", "records", "pages"}
            print(sum("key" in o for o in top["$objects"] if isinstance(o, dict)))
            """
        let result = try ExternalTool.run(["python3", "-c", script, target])
        #expect(result.text == "13\n", "\(result.text)\(result.errorText)")
    }

    /// A file that no other user may read stays so, and a link to it stays a link.
    @Test(arguments: ["index.plist", "link.plist"]) func theFormerFileKeepsItsRightsAndLinks(_ name: String) throws {
        let sample = try SampleArchive()
        let target = try sample.folder.write("index.plist", Array("old".utf8)).string
        try #require(chmod(target, 0o600) == 0)
        let link = sample.folder.path("link.plist").string
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "index.plist")
        let written = try WebarcTool.run("index", sample.file, "--plist", "-o", sample.folder.path(name).string)
        #expect(written.status == 0, "\(written.errorText)")
        #expect(try sample.folder.read("index.plist").starts(with: "bplist".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: target)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "index.plist")
        #expect(try FileManager.default.contentsOfDirectory(atPath: sample.folder.url.path).count == 3)
    }

    /// An archive is not replaced through a link either.
    @Test func aLinkToAnArchiveIsRefused() throws {
        let sample = try SampleArchive()
        let before = try sample.folder.read("sample.webarc")
        let link = sample.folder.path("link").string
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "sample.webarc")
        #expect(try WebarcTool.run("index", sample.file, "--plist", "-o", link).status == 73)
        #expect(try sample.folder.read("sample.webarc") == before)
    }

    @Test func failuresLeaveNothing() throws {
        let sample = try SampleArchive()
        let before = try sample.folder.read("sample.webarc")
        #expect(try WebarcTool.run("index", sample.file, "--plist", "-o", sample.file).status == 73)
        let pipe = sample.folder.path("pipe").string
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(try WebarcTool.run("index", sample.file, "--plist", "-o", pipe).status == 73)
        unlink(pipe)
        #expect(try sample.folder.read("sample.webarc") == before)
        let result = try WebarcTool.run("index", sample.file, "--plist", "-o", "/nonexistent/index.plist")
        #expect(result.status == 74 && result.errorLines.count == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: sample.folder.url.path)
        #expect(names == ["sample.webarc"])
    }
}
