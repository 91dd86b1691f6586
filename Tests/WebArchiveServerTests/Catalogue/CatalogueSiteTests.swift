// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveServer

@Suite struct CatalogueSiteTests {
    #if os(Linux)
        /// Another program records the next edition, and gives it the name, while the one before is being opened.
        @Test func anEditionThatIsReplacedWhileItIsOpened() throws {
            let folder = try TemporaryFolder()
            let key = ArchiveSigningKey()
            for number in [1, 2] as [UInt64] {
                let signing = ArchiveSigning([key], series: "s", sequence: number)
                let writer = try ArchiveWriter(
                    creating: folder.path("\(number).webarc"), options: .init(signing: signing))
                try ReplaySample.addSite(writer)
                try writer.commit()
            }
            let next = SequenceRecord(path: folder.path("next"))
            _ = try ArchiveReader(
                path: folder.path("2.webarc"), trust: ArchiveTrust([key.publicKey], sequences: next))
            // Opening waits for the record.
            let lock = try FileDescriptor.open(
                folder.path("record.lock"), .writeOnly, options: .create, permissions: .ownerReadWrite)
            try #require(flock(lock.rawValue, LOCK_EX) == 0)
            let path = folder.path("1.webarc")
            let site = CatalogueSite("one", path)
            var options = ArchiveLibrary.Options()
            options.trust = ArchiveTrust(
                [key.publicKey], sequences: SequenceRecord(path: folder.path("record")))
            // Threads without references end.
            let threads = CatalogueThreads(count: 1)
            defer { withExtendedLifetime(threads) {} }
            site.open(options, on: threads)
            #expect(waits { Self.isOpen(path) })
            try #require(rename(folder.path("next").string, folder.path("record").string) == 0)
            try #require(rename(folder.path("2.webarc").string, path.string) == 0)
            try lock.close()
            let opening = try #require(site.waitUntilOpen(milliseconds: 60_000))
            guard case .open = opening else {
                Issue.record("\(opening)")
                return
            }
        }

        private static func isOpen(_ path: FilePath) -> Bool {
            let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return numbers.contains {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path.string
            }
        }
    #endif
}
