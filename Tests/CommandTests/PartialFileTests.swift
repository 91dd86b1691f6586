// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Files that stand in the way of what is written, and files that are not what they seem.
@Suite struct PartialFileTests {
    private let folder: TemporaryFolder
    private var archive: String { folder.path("site.webarc").string }

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("site/index.html", Array("<p>Hello".utf8))
    }

    private func pack(_ source: String? = nil) throws -> ExternalTool.Result {
        try ExternalTool.run([
            "timeout", "60", WebarcTool.path, "pack", source ?? folder.path("site").string, "-o", archive, "--base-url",
            "https://site.example/",
        ])
    }

    @Test(arguments: ["site.webarc.partial", "site.webarc"]) func aPipe(_ name: String) throws {
        try #require(mkfifo(folder.path(name).string, 0o600) == 0)
        let packed = try pack()
        #expect(packed.status == 74, "\(packed.errorText)")
        #expect(packed.errorText.contains(name))
    }

    @Test func aFileThatAKilledWriterLeft() throws {
        let left = try folder.write("site.webarc.partial", [1, 2, 3]).string
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: left)
        #expect(try pack().status == 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: archive)
        #expect((attributes[.posixPermissions] as? Int ?? 0o777) & 0o022 == 0)
        #expect(try WebarcTool.run("verify", archive).status == 0)
    }

    /// A link where something is written before it gets its name leads nowhere.
    @Test func aLinkBesideAnIndex() throws {
        try #require(try pack().status == 0)
        let other = try folder.write("other", [1, 2, 3])
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("index.plist.partial").string, withDestinationPath: other.string)
        let written = try WebarcTool.run("index", "--plist", archive, "-o", folder.path("index.plist").string)
        #expect(written.status == 0, "\(written.errorText)")
        #expect(try folder.read("other") == [1, 2, 3])
        #expect(try folder.read("index.plist").starts(with: "bplist".utf8))
    }

    #if os(Linux)
        /// Their length is 0, whatever they hold.
        @Test func aFileOfTheSystem() throws {
            let packed = try pack("/proc/version")
            #expect(packed.status == 64, "\(packed.errorText)")
            #expect(packed.errorText.contains("/proc/version") && packed.errorText.contains("its length is 0"))
            #expect(!FileManager.default.fileExists(atPath: archive))
        }
    #endif
}
