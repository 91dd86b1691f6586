// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

@Suite struct ArchiveReaderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func whatItSaysOfItself() throws {
        let path = try folder.archive([Exchange("http://a/", body: [1]), Exchange("http://b/", body: [1])])
        let reader = try ArchiveReader(path: path)
        #expect(reader.name == path.string)
        #expect(reader.entryCount == 2 && reader.bodyCount == 1 && reader.commitCount == 1 && reader.tornTail == 0)
        #expect(try reader.fileLength == UInt64(folder.read("a.webarc").count))
        #expect(try ArchiveReader(bytes: folder.read("a.webarc")).name == "archive in memory")
    }

    /// The code, the path and the offset of the error for a file that is not a valid archive.
    @Test func filesThatAreNoArchives() throws {
        try folder.archive([Exchange("http://a/")])
        let good = try folder.read("a.webarc")
        func changed(_ place: Int, to byte: UInt8) -> [UInt8] {
            var bytes = good
            bytes[place] = byte
            return bytes
        }
        let cases: [(String, [UInt8], ArchiveError.Code, UInt64?)] = [
            ("empty", [], .notAnArchive, 0), ("zip", Array("PK\u{3}\u{4}".utf8), .notAnArchive, nil),
            ("other", Array("text".utf8), .notAnArchive, 0),
            ("later", changed(11, to: 2), .unsupportedVersion, 11), ("header", changed(13, to: 19), .damaged, 0),
            ("short", Array(good[..<150]), .truncated, 150),
            ("cut", Array(good.dropLast()), .truncated, UInt64(good.count) - 1),
            ("footer", changed(good.count - 1, to: good[good.count - 1] ^ 1), .truncated, UInt64(good.count)),
        ]
        for (name, bytes, code, offset) in cases {
            let path = try folder.write(name, bytes)
            for access in [FileByteSource.Access.positional, .mapped] {
                let error = archiveError { _ = try ArchiveReader(path: path, access: access) }
                #expect(error?.code == code && error?.offset == offset && error?.path == path.string, "\(name)")
            }
        }
        #expect(archiveError { _ = try ArchiveReader(path: folder.path("none")) }?.code == .io)
    }

    /// An archive that is appended to stays as it was when it was opened.
    @Test func anOpenArchiveStaysAsItWas() throws {
        let path = try folder.archive([Exchange("http://a/", body: [1])])
        let readers = [try ArchiveReader(path: path), try ArchiveReader(path: path, access: .mapped)]
        try folder.archive([Exchange("http://a/", body: [2]), Exchange("http://b/")], appending: true)
        for reader in readers {
            #expect(reader.entryCount == 1 && reader.commitCount == 1)
            #expect(try reader.entry(for: "http://a/")?.body?.bytes() == [1])
            #expect(try reader.entry(for: "http://b/") == nil)
        }
        #expect(try ArchiveReader(path: path).entry(for: "http://a/")?.body?.bytes() == [2])
    }

    /// The files of a commit whose index is not used are not read: opening needs headers, footers and class tables only.
    @Test func openingDoesNotReadTheIndex() throws {
        try folder.archive((0..<500).map { Exchange("http://a/\($0)", body: [UInt8($0 % 7)]) })
        var bytes = try folder.read("a.webarc")
        let surgeon = RowSurgeon(bytes)
        for kind in ["BLKS", "INDX", "ISUM"] { for place in surgeon.section(kind) { bytes[place] ^= 0xFF } }
        let reader = try ArchiveReader(bytes: bytes)
        #expect(reader.entryCount == 500)
        #expect(archiveError { _ = try reader.entry(for: "http://a/7") }?.code == .damaged)
        bytes[surgeon.section("CLSS").lowerBound] ^= 1
        #expect(
            failure { _ = try ArchiveReader(bytes: bytes) }
                == Failure(.damaged, at: UInt64(surgeon.section("CLSS").lowerBound)))
    }
}
