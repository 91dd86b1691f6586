// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveServer

@testable import WebArchiveKiosk

@Suite struct LastGoodCopiesTests {
    private let sample: ReplaySample
    private let kept: LastGoodCopies

    init() throws {
        sample = try ReplaySample()
        kept = LastGoodCopies(folder: sample.folder.path("state/kiosk"))
    }

    private var copy: FilePath? {
        get throws {
            if case .copy(let path, _) = try kept.choose(sample.path) { path } else { nil }
        }
    }

    private func damage() throws {
        var bytes = try sample.folder.read("site.webarc")
        bytes[bytes.count / 2] ^= 1
        try sample.folder.write("site.webarc", bytes)
    }

    @Test func theLastGoodOneIsKept() throws {
        #expect(try copy == nil)
        try kept.keep(sample.path, verified: FileStatus(of: sample.path)?.identity)
        let place = kept.place(of: sample.path)
        let whole = try sample.folder.read("site.webarc")
        #expect(try Data(contentsOf: URL(fileURLWithPath: place.string)) == Data(whole))
        // Written over in place: a hard link would have been damaged as well.
        try damage()
        #expect(try copy == place)
        #expect(unlink(sample.path.string) == 0)
        #expect(try copy == place)
        let library = try ArchiveLibrary([sample.path], standIns: [sample.path: place])
        #expect(
            try library.responder.get("https://site.example/").text
                == String(decoding: ReplaySample.page, as: UTF8.self))
        // The file comes back.
        try sample.folder.write("site.webarc", whole)
        #expect(library.reload().taken == [sample.path])
        #expect(try copy == nil)
    }

    @Test func anArchiveWithoutItsMainPageIsNotChosen() throws {
        try kept.keep(sample.path, verified: FileStatus(of: sample.path)?.identity)
        _ = try ReplaySample("site.webarc", in: sample.folder, withSite: false) { writer in
            try ReplaySample.add("https://site.example/other", "text/html", [1], writer)
            try writer.setMetadata("mainPage", to: "https://site.example/")
        }
        #expect(try copy == kept.place(of: sample.path))
        // Without a copy, the other pages are better than none.
        #expect(unlink(kept.place(of: sample.path).string) == 0)
        #expect(try copy == nil)
    }

    @Test func withoutACopy() throws {
        try damage()
        #expect(failure { _ = try kept.choose(sample.path) }?.code == .damaged)
        #expect(failure { _ = try kept.choose(sample.folder.path("none")) }?.code == .io)
    }

    /// A damaged archive is never copied over a good one.
    @Test func aCopyIsMadeOnce() throws {
        try kept.keep(sample.path, verified: FileStatus(of: sample.path)?.identity)
        let place = kept.place(of: sample.path).string
        let first = try FileManager.default.attributesOfItem(atPath: place)[.systemFileNumber] as? Int
        try kept.keep(sample.path, verified: FileStatus(of: sample.path)?.identity)
        #expect(try FileManager.default.attributesOfItem(atPath: place)[.systemFileNumber] as? Int == first)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: sample.folder.path("state/kiosk").string).count == 1)
    }

    /// A file that took the archive's place after it was verified may be damaged.
    @Test func whatWasNotVerifiedIsNotKept() throws {
        guard case .archive(let identity) = try kept.choose(sample.path) else {
            Issue.record("the archive is intact")
            return
        }
        try kept.keep(sample.path, verified: identity)
        let place = kept.place(of: sample.path)
        let good = try Data(contentsOf: URL(fileURLWithPath: place.string))
        let library = try ArchiveLibrary([sample.path])
        try damage()
        try sample.folder.write("new", sample.folder.read("site.webarc"))
        try #require(rename(sample.folder.path("new").string, sample.path.string) == 0)
        #expect(failure { try kept.keep(sample.path, verified: identity) }?.code == .changed)
        #expect(try Data(contentsOf: URL(fileURLWithPath: place.string)) == good)
        // A server that opened it has it verified, and continues with it until then.
        let opened = try ArchiveLibrary([sample.path])
        opened.forgetStamps(except: identity.map { [sample.path: $0] })
        #expect(opened.reload().refused.map(\.code) == [.damaged])
        #expect(library.reload().refused.map(\.code) == [.damaged])
    }

    @Test func placesDiffer() throws {
        #expect(kept.place(of: "/a/site.webarc") != kept.place(of: "/b/site.webarc"))
        #expect(kept.place(of: "/a/site.webarc") == kept.place(of: "/a/./b/../site.webarc"))
    }
}
