// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import WebArchive
import WebArchivePacking

/// A folder to pack, and what packing and unpacking make of it.
struct PackingTest {
    let folder = try! TemporaryFolder()  // A test without a folder has nothing to say.

    var site: FilePath { folder.path("site") }
    var archive: FilePath { folder.path("site.webarc") }

    func write(_ name: String, _ text: String) throws { try folder.write("site/\(name)", text.utf8) }
    func write(_ name: String, _ bytes: [UInt8]) throws { try folder.write("site/\(name)", bytes) }

    @discardableResult
    func pack(_ change: (inout ArchivePacker.Options) -> Void = { _ in }) throws -> ArchivePacker.Summary {
        var options = ArchivePacker.Options()
        options.threads = 2
        change(&options)
        return try ArchivePacker([site], into: archive, options: options).run()
    }

    func reader() throws -> ArchiveReader { try ArchiveReader(path: archive) }

    func text(_ url: String) throws -> String? {
        try reader().entry(for: url)?.body.map { String(decoding: try $0.bytes(), as: UTF8.self) }
    }

    @discardableResult
    func unpack(
        to name: String = "out", _ change: (inout ArchiveUnpacker.Options) -> Void = { _ in }
    ) throws -> ArchiveUnpacker.Summary {
        var options = ArchiveUnpacker.Options()
        options.threads = 2
        change(&options)
        return try ArchiveUnpacker(reader(), into: folder.path(name), options: options).run()
    }

    /// The output of `diff -r` for two folders; empty if they are the same.
    func difference(_ left: String = "site", _ right: String = "out") throws -> String {
        try ExternalTool.run(["diff", "-r", folder.path(left).string, folder.path(right).string]).text
    }

    /// The error that packing ends with.
    func packingError(_ change: (inout ArchivePacker.Options) -> Void = { _ in }) -> ArchiveError? {
        do {
            try pack(change)
            return nil
        } catch {
            return error as? ArchiveError
        }
    }
}
