// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

@Suite struct WriterLockTests {
    private let folder: TemporaryFolder
    private let archive: FilePath

    init() throws {
        folder = try TemporaryFolder()
        archive = folder.path("a")
    }

    private func isLocked() -> Bool { archiveError { _ = try WriterLock(archive: archive) }?.code == .locked }

    @Test func oneAtATime() throws {
        do {
            let lock = try WriterLock(archive: archive)
            #expect(lock.path.string == archive.string + ".partial")
            #expect(isLocked())
            withExtendedLifetime(lock.path) {}
            lock.remove()
        }
        #expect(!isLocked())
    }

    @Test func renaming() throws {
        let lock = try WriterLock(archive: archive)
        try lock.descriptor.writeAll([1, 2, 3])
        try lock.rename(to: archive)
        #expect(try folder.read("a") == [1, 2, 3])
        #expect(!FileManager.default.fileExists(atPath: lock.path.string))
        // The name is free again, though the descriptor is still open.
        #expect(!isLocked())
        try lock.descriptor.writeAll([4])
    }

    @Test func renamingOntoAFolder() throws {
        try FileManager.default.createDirectory(atPath: archive.string, withIntermediateDirectories: false)
        let lock = try WriterLock(archive: archive)
        let error = archiveError { try lock.rename(to: archive) }
        #expect(error?.code == .io && error?.cause is Errno)
    }

    /// A relative path without a folder means the current one.
    @Test func whereTheFolderIs() throws {
        let name = "webarc-lock-\(UUID().uuidString)"
        let lock = try WriterLock(archive: FilePath(name))
        try lock.rename(to: FilePath(name))
        try FileManager.default.removeItem(atPath: name)
    }
}
