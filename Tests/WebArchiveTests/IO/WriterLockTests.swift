// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct WriterLockTests {
    private let folder: TemporaryFolder
    private let archive: FilePath

    init() throws {
        folder = try TemporaryFolder()
        archive = folder.path("a")
    }

    private func isLocked() -> Bool {
        archiveError { _ = try WriterLock(archive: FilePlace(archive)) }?.code == .locked
    }

    @Test func oneAtATime() throws {
        do {
            let lock = try WriterLock(archive: FilePlace(archive))
            #expect(lock.place.path.string == archive.string + ".partial")
            #expect(isLocked())
            withExtendedLifetime(lock.place.path) {}
            lock.remove()
        }
        #expect(!isLocked())
    }

    @Test func renaming() throws {
        let lock = try WriterLock(archive: FilePlace(archive))
        try lock.descriptor.writeAll([1, 2, 3])
        try lock.rename(to: FilePlace(archive))
        #expect(try folder.read("a") == [1, 2, 3])
        #expect(!FileManager.default.fileExists(atPath: lock.place.path.string))
        // The name is free again, though the descriptor is still open.
        #expect(!isLocked())
        try lock.descriptor.writeAll([4])
    }

    @Test func renamingOntoAFolder() throws {
        try FileManager.default.createDirectory(atPath: archive.string, withIntermediateDirectories: false)
        let lock = try WriterLock(archive: FilePlace(archive))
        let error = archiveError { try lock.rename(to: FilePlace(archive)) }
        #expect(error?.code == .io && error?.cause is Errno)
    }

    /// The file that a killed writer left is replaced: a process that has it open, or a second name of it, does not get the new bytes.
    @Test(arguments: [0o644, 0o666, 0o600, 0o400])
    func aFileThatIsLeft(_ permissions: Int) throws {
        let left = try folder.write("a.partial", [1, 2, 3]).string
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: left)
        try FileManager.default.linkItem(atPath: left, toPath: folder.path("second").string)
        // Root may open any file, another user none that it must not write to.
        guard let lock = try? WriterLock(archive: FilePlace(archive)) else {
            #expect(permissions == 0o400 && geteuid() != 0)
            return
        }
        try lock.descriptor.writeAll([4])
        #expect(isLocked())
        try lock.rename(to: FilePlace(archive))
        #expect(try folder.read("a") == [4])
        #expect(try folder.read("second") == [1, 2, 3])
        let attributes = try FileManager.default.attributesOfItem(atPath: archive.string)
        #expect(try attributes[.posixPermissions] as? Int == 0o644 & ~folder.mask())
    }

    /// The mask belongs to the process: reading it must not change it for another thread, not even for a moment.
    @Test func readingTheMaskChangesNothing() throws {
        let mask = try folder.mask()
        let wrong = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 1_000) { _ in
            if Int(AccessRights.mask.rawValue) != mask { wrong.add(1, ordering: .relaxed) }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(try folder.mask() == mask)
    }

    private static let permissions = [0o600, 0o644, 0o664, 0o755, 0o4777, 0o666]

    /// A new archive is never open to more users than the one that it replaces, and a file of another user decides nothing.
    @Test(arguments: permissions)
    func permissionsOfWhatIsReplaced(_ permissions: Int) throws {
        try folder.write("a", [1])
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: archive.string)
        func mode(_ path: FilePath) throws -> Int { Int(try #require(FileStatus(of: path)).permissions.rawValue) }
        let lock = try WriterLock(archive: FilePlace(archive))
        #expect(try mode(lock.place.path) == 0o600)
        try lock.rename(to: FilePlace(archive), like: LockedArchive(replacing: FilePlace(archive)))
        #expect(try mode(archive) == permissions & 0o666)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"), arguments: permissions)
    func permissionsOfAnotherUsersFileAsRoot(_ permissions: Int) throws {
        try folder.write("a", [1])
        let mask = try folder.mask()
        // Members of a group that the new file does not have may get no more than both others and that group had.
        let both = permissions >> 3 & permissions & 0o4
        for (group, expected) in [(getegid(), 0o644 & permissions & ~mask), (65_534, (both << 3 | both) & ~mask)] {
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: archive.string)
            try #require(chown(archive.string, 65_534, group) == 0)
            let lock = try WriterLock(archive: FilePlace(archive))
            try lock.rename(to: FilePlace(archive), like: LockedArchive(replacing: FilePlace(archive)))
            #expect(FileStatus(of: archive).map { Int($0.permissions.rawValue) } == 0o600 | expected)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file to any group"))
    func theGroupOfWhatIsReplacedAsRoot() throws {
        try folder.write("a", [1])
        try #require(chown(archive.string, 0, 60_001) == 0 && chmod(archive.string, 0o660) == 0)
        let lock = try WriterLock(archive: FilePlace(archive))
        try lock.rename(to: FilePlace(archive), like: LockedArchive(replacing: FilePlace(archive)))
        let status = try #require(FileStatus(of: archive))
        #expect(status.group == 60_001 && status.permissions.rawValue == 0o660)
    }

    #if os(Linux)
        /// With a list, the permissions of the group are the most that the list allows, and not those of the group.
        @Test func theAccessControlListOfWhatIsReplaced() throws {
            try folder.write("a", [1])
            let list = """
                import os, struct, sys
                entry = lambda tag, permissions, name=0xffffffff: struct.pack('<HHI', tag, permissions, name)
                entries = entry(1, 6) + entry(2, 6, 65530) + entry(4, 0) + entry(0x10, 6) + entry(0x20, 0)
                os.setxattr(sys.argv[1], 'system.posix_acl_access', struct.pack('<I', 2) + entries)
                """
            let shown = "import os, sys; print(os.getxattr(sys.argv[1], 'system.posix_acl_access').hex())"
            func python(_ script: String) throws -> ExternalTool.Result {
                try ExternalTool.run(["python3", "-c", script, archive.string])
            }
            // Not every file system has such lists.
            guard try python(list).status == 0 else { return }
            let former = try python(shown)
            let lock = try WriterLock(archive: FilePlace(archive))
            #expect(try #require(FileStatus(of: lock.place.path)).permissions.rawValue == 0o600)
            try lock.rename(to: FilePlace(archive), like: LockedArchive(replacing: FilePlace(archive)))
            #expect(try python(shown).text == former.text && former.status == 0)
            #expect(try #require(FileStatus(of: archive)).permissions.rawValue == 0o660)
        }
    #endif

    enum Obstacle: CaseIterable { case pipe, link, linkToNothing, linkToDevice, folder }

    /// Nobody waits for it, nothing is written to it, and it stays.
    @Test(arguments: Obstacle.allCases)
    func whatIsNoFileOfAWriter(_ obstacle: Obstacle) throws {
        let partial = folder.path("a.partial").string
        func link(to target: String) throws {
            try FileManager.default.createSymbolicLink(atPath: partial, withDestinationPath: target)
        }
        switch obstacle {
        case .pipe: try #require(mkfifo(partial, 0o600) == 0)
        case .link: try link(to: folder.write("other", [1]).string)
        case .linkToNothing: try link(to: folder.path("nothing").string)
        case .linkToDevice: try link(to: "/dev/null")
        case .folder: try FileManager.default.createDirectory(atPath: partial, withIntermediateDirectories: false)
        }
        var (before, after) = (stat(), stat())
        try #require(lstat(partial, &before) == 0)
        #expect(archiveError { _ = try WriterLock(archive: FilePlace(archive)) }?.code == .io)
        #expect(lstat(partial, &after) == 0 && before.st_ino == after.st_ino)
        if obstacle == .link { #expect(try folder.read("other") == [1]) }
        #expect(!FileManager.default.fileExists(atPath: folder.path("nothing").string))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away")) func aFileOfAnotherUserAsRoot() throws {
        let partial = try folder.write("a.partial", [1])
        try #require(chown(partial.string, 65_534, 65_534) == 0)
        #expect(archiveError { _ = try WriterLock(archive: FilePlace(archive)) }?.code == .io)
        #expect(try folder.read("a.partial") == [1])
    }

    /// Many writers, one after the other on the same name: never two at once.
    @Test func manyAtOnce() throws {
        try folder.write("a.partial", [1])
        let holders = Atomic(0)
        let most = Atomic(0)
        let taken = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<300 {
                guard let lock = try? WriterLock(archive: FilePlace(archive)) else { continue }
                let now = holders.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
                most.max(now, ordering: .sequentiallyConsistent)
                taken.wrappingAdd(1, ordering: .relaxed)
                holders.wrappingSubtract(1, ordering: .sequentiallyConsistent)
                if now % 2 == 0 { continue }
                lock.remove()
            }
        }
        #expect(most.load(ordering: .sequentiallyConsistent) == 1)
        #expect(taken.load(ordering: .relaxed) > 0)
    }

    /// A relative path without a folder means the current one.
    @Test func whereTheFolderIs() throws {
        let name = "webarc-lock-\(UUID().uuidString)"
        let lock = try WriterLock(archive: FilePlace(FilePath(name)))
        try lock.rename(to: FilePlace(FilePath(name)))
        try FileManager.default.removeItem(atPath: name)
    }
}
