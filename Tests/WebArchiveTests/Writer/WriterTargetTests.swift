// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

/// The writing of an appended commit to disk, and the remains of another writer. Specification section 9.
@Suite struct WriterTargetTests {
    private let folder: TemporaryFolder
    private let path: FilePath
    private let first: [Exchange]
    private let second: [Exchange]
    /// The archive with one commit and with two.
    private let whole: [UInt8]
    private let appended: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.webarc")
        first = [Exchange("http://a/1", body: [1, 2, 3]), Exchange("http://a/2", body: Array("text".utf8))]
        second = [Exchange("http://a/1", body: [4, 5, 6]), Exchange("http://a/3", body: [])]
        try folder.archive(first)
        whole = try folder.read("a.webarc")
        try folder.archive(second, appending: true)
        appended = try folder.read("a.webarc")
    }

    /// The archive with two commits before the slot of the second one is written, which comes last.
    private var unfinished: [UInt8] { Array(appended[..<64] + whole[64..<96] + appended[96...]) }

    /// Of the bytes that were there a writer changes the slots of section 3, and nothing else.
    @Test func appendingChangesSlotsOnly() throws {
        #expect(appended.count > whole.count)
        #expect(appended[96..<whole.count] == whole[96...])
        #expect(appended[..<32] == whole[..<32])
        let slot = RecoverySlot(footerOffset: UInt64(whole.count - 64), commitNumber: 0)
        #expect(Array(appended[32..<64]) == slot.encoded())
        let next = RecoverySlot(footerOffset: UInt64(appended.count - 64), commitNumber: 1)
        #expect(Array(appended[64..<96]) == next.encoded())
        try folder.archive(first, appending: true)
        let third = try folder.read("a.webarc")
        #expect(third[..<32] == appended[..<32])
        let last = RecoverySlot(footerOffset: UInt64(third.count - 64), commitNumber: 2)
        #expect(Array(third[32..<64]) == last.encoded())
        #expect(third[64..<appended.count] == appended[64...])
    }

    /// A body may hold a commit. While it is written, and where the writer is killed, it is not the end of the file.
    @Test func nothingOfACommitIsTheEndOfTheFileBeforeItsFooter() throws {
        let target = try WriterTarget(appendingTo: path)
        let zeros = [UInt8](repeating: 0, count: 64)
        for length in [1, 1 << 20, (1 << 20) - 7, 3 << 20, 100] {
            try target.file.append([UInt8](repeating: 0xFF, count: length))
            try target.file.flush()
            let bytes = try folder.read("a.webarc")
            #expect(Array(bytes.suffix(64)) == zeros)
            #expect(UInt64(bytes.count) == target.file.position + 64)
        }
        #expect(try ArchiveReader(path: path).commitCount == 2)
        // Bodies that were there already are taken back; some bytes of the next one follow.
        let end = target.file.position
        for back in [100, 5000, 2 << 20] as [UInt64] {
            try target.file.rewind(to: end - back)
            #expect(Array(try folder.read("a.webarc").suffix(64)) == zeros)
            try target.file.append([0xFF])
            try target.file.flush()
            #expect(Array(try folder.read("a.webarc").suffix(65)) == [0xFF] + zeros)
        }
        target.abandon()
        #expect(try folder.read("a.webarc") == appended)
    }

    /// The slot of the last commit was written when that was on disk: it is missed, whatever stands in its place.
    @Test(arguments: [0, 1, 1000]) func aCommitThatWasCutOffIsNoTornTail(length: Int) throws {
        for rest in [appended[whole.count..<whole.count + length], ArraySlice(repeating: 0, count: length)] {
            let cut = Array(appended[..<whole.count] + rest)
            try folder.write("a.webarc", cut)
            let reader = try ArchiveReader(path: path)
            #expect(reader.isLastCommitDamaged && reader.tornTail == UInt64(length))
            #expect(try Commits([first]).differences(from: reader) == [])
            #expect(archiveError { _ = try ArchiveWriter(appendingTo: path) }?.code == .damaged)
            #expect(try folder.read("a.webarc") == cut)
        }
    }

    /// The previous commit is readable after an interruption at any byte of the next one.
    @Test func everyTornTail() throws {
        for length in whole.count..<appended.count {
            let reader = try ArchiveReader(bytes: Array(appended[..<length]))
            #expect(reader.tornTail == UInt64(length - whole.count))
            #expect(try Commits([first]).differences(from: reader) == [], "\(length)")
        }
        let reader = try ArchiveReader(bytes: appended)
        #expect(reader.tornTail == 0)
        #expect(try Commits([first, second]).differences(from: reader) == [])
    }

    /// The next writer cuts the torn tail off, and its commit is as if nothing had happened.
    @Test func appendingAfterATornTail() throws {
        let step = max(1, 29 / testEffort)
        let lengths =
            Array(stride(from: whole.count, to: appended.count - 66, by: step))
            + Array(appended.count - 66..<appended.count)
        for length in lengths {
            try folder.write("a.webarc", unfinished[..<length])
            try folder.archive(second, appending: true)
            #expect(try folder.read("a.webarc") == appended, "cut at \(length)")
        }
        // A tail longer than what is written after it.
        try folder.write("a.webarc", whole + [UInt8](repeating: 0xEE, count: 100_000))
        var damaged = try folder.read("a.webarc")
        damaged.replaceSubrange(32..<64, with: appended[32..<64])
        try folder.write("a.webarc", damaged)
        #expect(try ArchiveReader(path: path).tornTail == 100_000)
        try folder.archive(second, appending: true)
        #expect(try folder.read("a.webarc") == appended)
    }

    /// A commit that was whole once is not thrown away because its footer is damaged.
    @Test func aDamagedFooterIsNoTornTail() throws {
        for place in appended.count - 64..<appended.count {
            var damaged = appended
            damaged[place] ^= 0x20
            try folder.write("a.webarc", damaged)
            let reader = try ArchiveReader(path: path)
            #expect(reader.tornTail == UInt64(appended.count - whole.count))
            #expect(try Commits([first]).differences(from: reader) == [])
            let error = archiveError { _ = try ArchiveWriter(appendingTo: path) }
            #expect(error?.code == .damaged, "byte \(place)")
            #expect(error?.offset == UInt64(whole.count) && error?.path == path.string)
            #expect(try folder.read("a.webarc") == damaged)
            #expect(!FileManager.default.fileExists(atPath: path.string + ".partial"))
        }
    }

    /// The same for a section table, whose footer is complete.
    @Test func aDamagedSectionTableIsNoTornTail() throws {
        for place in appended.count - 64 - 4 * 32..<appended.count - 64 {
            var damaged = appended
            damaged[place] ^= 0x20
            try folder.write("a.webarc", damaged)
            #expect(try ArchiveReader(path: path).commitCount == 1)
            #expect(archiveError { _ = try ArchiveWriter(appendingTo: path) }?.code == .damaged, "byte \(place)")
            #expect(try folder.read("a.webarc") == damaged)
        }
    }

    /// Half of the signature is enough to know a footer by, and less is not.
    @Test(arguments: [(4, true), (5, false)])
    func halfOfASignature(changed: Int, isRefused: Bool) throws {
        var damaged = unfinished
        for place in 0..<changed { damaged[appended.count - 64 + place] ^= 0xFF }
        try folder.write("a.webarc", damaged)
        let error = archiveError { try folder.archive(second, appending: true) }
        #expect(error?.code == (isRefused ? .damaged : nil))
        #expect(try (folder.read("a.webarc") == appended) == !isRefused)
    }

    /// A whole archive needs no slots: whatever became of them, it opens, and can be appended to.
    @Test func damagedSlots() throws {
        for place in 32..<96 {
            var damaged = appended
            damaged[place] ^= 0x20
            let reader = try ArchiveReader(bytes: damaged)
            #expect(try Commits([first, second]).differences(from: reader) == [], "byte \(place)")
        }
        var damaged = appended
        for place in 32..<96 { damaged[place] = 0x55 }
        try folder.write("a.webarc", damaged)
        try folder.archive(first, appending: true)
        #expect(try Commits([first, second, first]).differences(from: ArchiveReader(path: path)) == [])
        // With a torn tail they are needed.
        let torn = Array(damaged[..<(damaged.count - 1)])
        #expect(archiveError { _ = try ArchiveReader(bytes: torn) }?.code == .truncated)
    }
}
