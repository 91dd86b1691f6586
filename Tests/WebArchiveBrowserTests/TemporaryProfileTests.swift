// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import Testing
import WebArchive

@testable import WebArchiveBrowser

@Suite struct TemporaryProfileTests {
    private func withProfile(_ body: (TemporaryProfile) throws -> Void) throws {
        let profile = try TemporaryProfile()
        defer { profile.remove() }
        try body(profile)
    }

    private func write(_ text: String, _ profile: TemporaryProfile) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: profile.log.string))
    }

    @Test(arguments: [0, 100_000]) func theLastLineOfALogOfAnyLength(_ lines: Int) throws {
        try withProfile { profile in
            #expect(profile.lastLogLine == nil)
            try write(String(repeating: "a line that says nothing\n", count: lines) + "the reason\n\n", profile)
            #expect(profile.lastLogLine == "the reason")
        }
    }

    /// Of a line that is longer than what is read, the end is a line.
    @Test func aVeryLongLineIsCut() throws {
        try withProfile { profile in
            try write(String(repeating: "x", count: 3 << 20), profile)
            #expect(profile.lastLogLine == String(repeating: "x", count: 300))
        }
    }

    /// The browser has the log open meanwhile, and continues to print into it.
    @Test func aLongLogIsCutWhileItIsWritten() throws {
        try withProfile { profile in
            try write("short\n", profile)
            profile.trimLog()
            #expect(try Data(contentsOf: URL(fileURLWithPath: profile.log.string)) == Data("short\n".utf8))
            let browser = try FileDescriptor.open(profile.log, .writeOnly, options: .append)
            defer { try? browser.close() }
            _ = try browser.writeAll(Array(repeating: UInt8(ascii: "x"), count: TemporaryProfile.maximumLogLength))
            _ = try browser.writeAll("\nthe reason\n".utf8)
            profile.trimLog()
            #expect(profile.lastLogLine == "the reason")
            _ = try browser.writeAll("another\n".utf8)
            #expect(profile.lastLogLine == "another")
            let log = try Data(contentsOf: URL(fileURLWithPath: profile.log.string))
            #expect(log.count == (64 << 10) + "another\n".utf8.count && !log.contains(0))
        }
    }

    /// The folder of a run that was killed has no lock any more; that of a run that goes on stays.
    @Test func abandonedProfilesAreRemoved() throws {
        try withProfile { running in
            let abandoned = FilePath(running.folder.string + "-killed")
            let foreign = FilePath(running.folder.string + "-without-a-lock")
            defer { try? FileManager.default.removeItem(atPath: foreign.string) }
            for folder in [abandoned, foreign] {
                try FileManager.default.createDirectory(
                    atPath: folder.string, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
                try Data("cookie".utf8).write(to: URL(fileURLWithPath: folder.appending("Cookies").string))
            }
            try Data().write(to: URL(fileURLWithPath: abandoned.appending("lock").string))
            try withProfile { next in
                let exists = [abandoned, foreign, running.folder, next.folder].map {
                    FileManager.default.fileExists(atPath: $0.string)
                }
                #expect(exists == [false, true, true, true])
            }
        }
    }

    /// A page stores nothing by what the browser prints.
    @Test func theLogDoesNotCountAsStored() throws {
        try withProfile { profile in
            let empty = profile.size
            try write(String(repeating: "x", count: 3 << 20), profile)
            #expect(profile.size == empty)
            try Data(count: 3 << 20).write(to: URL(fileURLWithPath: profile.path.appending("stored").string))
            #expect(profile.size >= empty + (3 << 20))
        }
    }
}
