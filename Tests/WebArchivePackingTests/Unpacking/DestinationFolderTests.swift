// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

@testable import WebArchivePacking

/// The last door before the disk: whatever a plan says, no name leads out of the folder.
@Suite struct DestinationFolderTests {
    @Test(arguments: ["..", ".", "", "/a", "a//b", "../../a", "a/./b", "a\0"])
    func namesThatLeadElsewhere(name: String) throws {
        let folder = try TemporaryFolder()
        let destination = try DestinationFolder(folder.path("inner"))
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
}
