// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveUpdates

/// An archive that is updated from a folder that appears, changes and vanishes.
@Suite struct RecurringUpdateTests {
    private let folder: TemporaryFolder
    private let key = ArchiveSigningKey()
    private let events = Events()

    init() throws { folder = try TemporaryFolder() }

    private final class Events: Sendable {
        private let list = Mutex<[String]>([])

        func add(_ event: RecurringUpdate.Event) {
            let text =
                switch event {
                case .updated(.updated(_, let sequence, _, _)): "updated to \(sequence)"
                case .updated: "updated to nothing"
                case .patchFailed(let error, let source): "no patch: \(error.code) at \(source)"
                case .failed(let error, let source): "\(error.code) at \(source)"
                case .recovered(let source): "works again: \(source)"
                }
            list.withLock { $0.append(text) }
        }

        var all: [String] { list.withLock(\.self) }
    }

    private func release(_ number: Int, into name: String) throws {
        var random = SeededGenerator(seed: UInt64(number))
        let path = folder.path("edition.webarc")
        let signing = ArchiveSigning([key], series: "site", sequence: UInt64(number))
        try Edition(&random, pageCount: 12, hasLongFiles: false).write(to: path, options: .init(signing: signing))
        try ArchiveRelease(into: folder.path(name), keys: [key]).publish(path)
    }

    private func updates(_ names: String..., options: RecurringUpdate.Options = .init()) -> RecurringUpdate {
        RecurringUpdate(
            of: folder.path("site.webarc"), from: names.map { FolderUpdateSource(folder.path($0)) },
            trust: ArchiveTrust([key.publicKey]), options: options, onEvent: events.add)
    }

    @Test func folderThatAppears() throws {
        let updates = updates("stick")
        updates.runDue(at: .zero)
        #expect(events.all.isEmpty)
        try release(1, into: "stick")
        updates.runDue(at: .seconds(10))
        updates.runDue(at: .seconds(20))
        try release(2, into: "stick")
        updates.runDue(at: .seconds(30))
        #expect(events.all == ["updated to 1", "updated to 2"])
        #expect(try folder.read("site.webarc") == folder.read("edition.webarc"))
    }

    @Test func failureIsToldOnce() throws {
        let updates = updates("stick")
        try folder.write("stick/updates.json", Array("no list".utf8))
        for minute in 0..<200 { updates.runDue(at: .seconds(minute * 60)) }
        let stick = folder.path("stick").string
        #expect(events.all == ["damaged at \(stick)"])
        try FileManager.default.removeItem(atPath: stick)
        try release(1, into: "stick")
        updates.runDue(at: .seconds(20_000))
        #expect(events.all.dropFirst() == ["works again: \(stick)", "updated to 1"])
    }

    @Test func statusCountsChecksAndNamesTheEdition() throws {
        let updates = updates("stick")
        #expect(updates.status == RecurringUpdate.Status())
        try folder.write("stick/updates.json", Array("no list".utf8))
        updates.runDue(at: .zero)
        #expect(updates.status.checkCount == 1 && updates.status.failureCount == 1)
        #expect(updates.status.lastSuccess == nil && updates.status.sequence == nil)
        try FileManager.default.removeItem(atPath: folder.path("stick").string)
        let start = ArchiveTime.now()
        for number in 1...2 {
            try release(number, into: "stick")
            updates.runDue(at: .seconds(number * 20_000))
        }
        // The newest edition again.
        updates.runNow()
        let status = updates.status
        #expect(status.checkCount == 4 && status.failureCount == 1 && status.installedCount == 2)
        #expect(status.sequence == 2 && status.lastSuccess.map { start <= $0 && $0 <= .now() } == true)
    }

    @Test func firstFolderThatHasTheArchiveIsEnough() throws {
        try release(1, into: "second")
        try release(2, into: "third")
        updates("first", "second", "third").runNow()
        #expect(events.all == ["io at \(folder.path("first"))", "updated to 1"])
    }

    /// A host that counts the requests for its list.
    private final class CountingSource: UpdateSource {
        let folder: FolderUpdateSource
        let count = Mutex(0)
        var name: String { "a host" }

        init(_ folder: FilePath) { self.folder = FolderUpdateSource(folder) }

        func bytes(of name: String, atMost limit: Int) throws(ArchiveError) -> [UInt8] {
            count.withLock { $0 += 1 }
            return try folder.bytes(of: name, atMost: limit)
        }

        func append(
            _ name: String, from offset: UInt64, length: UInt64, to file: FileDescriptor, progress: (Int) -> Void
        ) throws(ArchiveError) {
            try folder.append(name, from: offset, length: length, to: file, progress: progress)
        }
    }

    @Test func hostIsNotAskedTwiceAtTheStart() throws {
        try release(1, into: "host")
        let host = CountingSource(folder.path("host"))
        let updates = RecurringUpdate(
            of: folder.path("site.webarc"), from: [host], trust: ArchiveTrust([key.publicKey]), onEvent: events.add)
        updates.runNow()
        updates.runDue(at: .zero)
        #expect(host.count.withLock(\.self) == 1)
        updates.runDue(at: .seconds(2 * 3600))
        #expect(host.count.withLock(\.self) == 2)
        #expect(events.all == ["updated to 1"])
    }

    @Test func folderIsLookedAtBeforeHosts() throws {
        try release(1, into: "host")
        let host = CountingSource(folder.path("host"))
        func updates() -> RecurringUpdate {
            RecurringUpdate(
                of: folder.path("site.webarc"), from: [host, FolderUpdateSource(folder.path("stick"))],
                trust: ArchiveTrust([key.publicKey]), onEvent: events.add)
        }
        try release(2, into: "stick")
        updates().runNow()
        #expect(events.all == ["updated to 2"] && host.count.withLock(\.self) == 0)
        try FileManager.default.removeItem(atPath: folder.path("site.webarc").string)
        updates().runDue(at: .zero)
        #expect(events.all.prefix(2) == ["updated to 2", "updated to 2"] && host.count.withLock(\.self) == 1)
    }

    /// A check continues while the program does other things, and ends when it is canceled.
    @Test(.timeLimit(.minutes(1))) func runsUntilItIsStopped() async throws {
        var options = RecurringUpdate.Options()
        options.pollInterval = .milliseconds(1)
        let updates = updates("stick", options: options)
        let thread = Task.detached { updates.run() }
        try release(1, into: "stick")
        while events.all.isEmpty { await Task.yield() }
        updates.stop()
        await thread.value
        #expect(events.all == ["updated to 1"])
    }

    /// A kiosk without an archive, whose stick is not plugged in yet.
    @Test(.timeLimit(.minutes(1))) func waitsForTheFirstEdition() async throws {
        var options = RecurringUpdate.Options()
        options.pollInterval = .milliseconds(1)
        let updates = updates("stick", options: options)
        let thread = Task.detached { updates.runUntilPresent() }
        try release(1, into: "stick")
        await thread.value
        #expect(try folder.read("site.webarc") == folder.read("edition.webarc"))
        // The archive exists: no other check is made.
        try release(2, into: "stick")
        updates.runUntilPresent()
        #expect(events.all == ["updated to 1"])
    }
}
