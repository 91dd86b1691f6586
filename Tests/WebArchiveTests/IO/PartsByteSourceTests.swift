// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

@Suite struct PartsByteSourceTests {
    private let folder: TemporaryFolder
    private let bytes: [UInt8]
    private let first: PartName

    /// 40 parts of 100 bytes, the last one shorter.
    init() throws {
        folder = try TemporaryFolder()
        var random = SeededGenerator.printed()
        bytes = random.bytes(3950)
        first = PartName(1, of: folder.path("s"))
        for number in 1...40 {
            let start = (number - 1) * 100
            try folder.write("s.\(number < 10 ? "00" : "0")\(number)", bytes[start..<min(start + 100, bytes.count)])
        }
    }

    /// Puts another file of the same length under the name of a part.
    private func replace(_ number: Int, modified: TimeInterval, permissions: Int = 0o644) throws {
        let path = first.path(of: number).string
        let length = try Data(contentsOf: URL(fileURLWithPath: path)).count
        try folder.write("new", [UInt8](repeating: 0, count: length))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: modified), .posixPermissions: permissions],
            ofItemAtPath: folder.path("new").string)
        #expect(rename(folder.path("new").string, path) == 0)
    }

    @Test func partsAreReadInAnyOrderByManyThreads() throws {
        let source = try PartsByteSource(first)
        #expect(source.length == 3950 && source.count == 40)
        #expect(try source.bytes(at: 0, count: 3950) == bytes)
        let starts = (0..<2000).map { ($0 * 1237 % 3950, $0 * 7919 % 350) }
        DispatchQueue.concurrentPerform(iterations: starts.count) { number in
            let (start, length) = starts[number]
            let count = min(length, 3950 - start)
            #expect((try? source.bytes(at: UInt64(start), count: count)) == Array(bytes[start..<start + count]))
        }
        #expect(failure { _ = try source.bytes(at: 3900, count: 51) } == Failure(.truncated, at: 3950))
    }

    #if os(Linux)
        /// A process may have 1024 descriptors, and an archive 999 parts.
        @Test func fewPartsAreOpen() throws {
            func openFiles() -> Int {
                let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
                let targets = numbers.map {
                    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
                }
                return targets.filter { $0?.contains(folder.url.lastPathComponent) == true }.count
            }
            let source = try PartsByteSource(first)
            #expect(openFiles() == 1)
            #expect(try source.bytes(at: 0, count: 3950) == bytes)
            #expect(openFiles() == PartsByteSource.maximumOpenCount + 1)
            #expect(try source.bytes(at: 0, count: 3950) == bytes)
            #expect(openFiles() == PartsByteSource.maximumOpenCount + 1)
        }
    #endif

    @Test func aPartThatWasReplacedIsNotRead() throws {
        let source = try PartsByteSource(first)
        try replace(20, modified: 1_000_000_000)
        let error = archiveError { _ = try source.bytes(at: 0, count: 3950) }
        #expect(error?.code == .changed && error?.path == first.path(of: 20).string)
        #expect(try source.bytes(at: 2000, count: 1950) == Array(bytes[2000...]))
        // Nor is it copied as if it were the old one.
        let file = try WholeArchiveFile(replacing: folder.path("joined.webarc"))
        #expect(archiveError { _ = try file.copy(source) }?.path == first.path(of: 20).string)
    }

    /// Another user who knows the length and the time of a private file can give a part the same.
    @Test(arguments: [0o644, 0o600]) func aFileOfTheSameLengthAndTimeIsNotRead(_ permissions: Int) throws {
        try replace(20, modified: 1_000_000_000)
        let source = try PartsByteSource(first)
        try replace(20, modified: 1_000_000_000, permissions: permissions)
        #expect(archiveError { _ = try source.bytes(at: 0, count: 3950) }?.path == first.path(of: 20).string)
        let file = try WholeArchiveFile(replacing: folder.path("joined.webarc"))
        #expect(archiveError { _ = try file.copy(source) }?.path == first.path(of: 20).string)
        // A file system that assigns new numbers has no owners and permissions of single files.
        let now = try #require(FileStatus(of: first.path(of: 20)))
        let isSame = PartsByteSource.isSame(now, source.statuses[19], comparesNumbers: false)
        #expect(isSame == (permissions == 0o644))
    }

    @Test func aPartThatIsGone() throws {
        let source = try PartsByteSource(first)
        #expect(unlink(first.path(of: 20).string) == 0)
        let error = archiveError { _ = try source.bytes(at: 1950, count: 10) }
        #expect(error?.code == .io && error?.path == first.path(of: 20).string)
        #expect(archiveError { _ = try PartsByteSource(first) }?.path == first.path(of: 20).string)
    }

    /// Parts that are open are read as they were, whatever has their names.
    @Test func openPartsStay() throws {
        let source = try PartsByteSource(first)
        #expect(try source.bytes(at: 1900, count: 100) == Array(bytes[1900..<2000]))
        try replace(1, modified: 1_000_000_000)
        try replace(20, modified: 1_000_000_000)
        #expect(try source.bytes(at: 0, count: 100) == Array(bytes[..<100]))
        #expect(try source.bytes(at: 1900, count: 100) == Array(bytes[1900..<2000]))
    }
}
