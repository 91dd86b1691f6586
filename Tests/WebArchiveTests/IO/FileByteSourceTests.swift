// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

@Suite struct FileByteSourceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [FileByteSource.Access.positional, .mapped]) func reads(access: FileByteSource.Access) throws {
        var random = SeededGenerator.printed()
        let bytes = random.bytes(10_000)
        let source = try FileByteSource(path: folder.write("f", bytes), access: access)
        #expect(source.length == 10_000 && source.name == folder.path("f").string)
        #expect(source.mappedBytes.map { Array($0) } == (access == .mapped ? bytes : nil))
        #expect(try source.bytes(at: 0, count: 10_000) == bytes)
        #expect(try source.bytes(at: 10_000, count: 0).isEmpty)
        for _ in 0..<50 {
            let start = Int.random(in: 0...10_000, using: &random)
            let count = Int.random(in: 0...10_000 - start, using: &random)
            #expect(try source.bytes(at: UInt64(start), count: count) == Array(bytes[start..<start + count]))
        }
        let end = failure { _ = try source.bytes(at: 9_000, count: 1_001) }
        #expect(end == Failure(.truncated, at: 10_000))
    }

    @Test(arguments: [FileByteSource.Access.positional, .mapped]) func emptyFile(access: FileByteSource.Access) throws {
        let source = try FileByteSource(path: folder.write("f", [UInt8]()), access: access)
        #expect(source.length == 0 && source.mappedBytes == nil)
        #expect(archiveError { _ = try source.bytes(at: 0, count: 1) }?.code == .truncated)
        #expect(archiveError { _ = try ArchiveReader(source: source) }?.code == .notAnArchive)
    }

    /// A file that was cut after it was opened is an error, by position.
    @Test func aFileThatIsCut() throws {
        let source = try FileByteSource(path: folder.write("f", [UInt8](repeating: 1, count: 100)))
        let handle = try FileHandle(forWritingTo: folder.url.appendingPathComponent("f"))
        try handle.truncate(atOffset: 40)
        try handle.close()
        #expect(source.length == 100)
        #expect(failure { _ = try source.bytes(at: 30, count: 20) } == Failure(.truncated, at: 40))
        #expect(try source.bytes(at: 30, count: 10).count == 10)
    }

    @Test(arguments: [FileByteSource.Access.positional, .mapped]) func notAFile(access: FileByteSource.Access) throws {
        for path in [folder.path("missing"), FilePath(folder.url.path), FilePath("/dev/null")] {
            let error = archiveError { _ = try FileByteSource(path: path, access: access) }
            #expect(error?.code == .io && error?.path == path.string)
        }
        #expect(
            archiveError { _ = try FileByteSource(path: folder.path("missing")) }?.cause as? Errno
                == .noSuchFileOrDirectory)
    }
}
