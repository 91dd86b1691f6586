// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchivePacking

/// The last door before the disk: whatever a plan says, no name leads out of the folder.
@Suite struct DestinationFolderTests {
    @Test(arguments: ["..", ".", "", "/a", "a//b", "../../a", "a/./b", "a\0"])
    func namesThatLeadElsewhere(name: String) throws {
        let folder = try TemporaryFolder()
        let destination = DestinationFolder(try DestinationRoot(folder.path("inner")))
        for path in [name, name + "/file", "file/" + name].map({ Array($0.utf8) }) {
            let error = archiveError {
                try destination.writeFile(path, modified: nil, overwrites: true) { _ throws(ArchiveError) in }
            }
            #expect(error?.code == .invalidArgument, "\(path)")
            #expect(archiveError { try destination.makeFolder(path) }?.code == .invalidArgument, "\(path)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["inner"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/inner") == [])
    }

    /// Names that differ in their case are one file there, and the second must not replace the first.
    @Test func aFileThatWasWrittenIsNotReplaced() throws {
        let folder = try TemporaryFolder()
        let root = try DestinationRoot(folder.path("inner"))
        let (one, other) = (DestinationFolder(root), DestinationFolder(root))
        func write(_ destination: DestinationFolder, overwrites: Bool) throws {
            try destination.writeFile(Array("a".utf8), modified: nil, overwrites: overwrites) {
                sink throws(ArchiveError) in
                try [UInt8](overwrites ? "new".utf8 : "old".utf8).withBytes { bytes throws(ArchiveError) in
                    try sink(bytes)
                }
            }
        }
        try folder.write("inner/a", "old".utf8)
        try write(one, overwrites: true)
        #expect(archiveError { try write(other, overwrites: true) }?.code == .alreadyExists)
        #expect(archiveError { try write(other, overwrites: false) }?.recovery == nil)
        #expect(try folder.read("inner/a") == Array("new".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("inner").string) == ["a"])
    }
}
