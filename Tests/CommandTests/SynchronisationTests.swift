// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The order in which things come to disk, as the system saw it: no file looks different where it is wrong, until the power fails.
///
/// Specification section 9, what a writer does.
@Suite("Synchronisation", .enabled(if: SystemCallTrace.isAvailable, "needs strace, and leave to use it"))
struct SynchronisationTests {
    let folder = try! TemporaryFolder()  // A test without a folder has nothing to say.

    init() throws {
        for name in ["first", "second"] { try folder.write("\(name)/page.html", Array("<p>\(name)".utf8)) }
    }

    private func trace(_ arguments: String...) throws -> [SystemCallTrace.Call] {
        try SystemCallTrace.of([WebarcTool.path] + arguments, in: folder)
    }

    @Test func newArchiveIsOnDiskBeforeItsName() throws {
        let calls = try trace("pack", "first", "-o", "a.webarc")
        let length = try folder.read("a.webarc").count
        #expect(
            calls == [
                .write("a.webarc.partial", length, at: 0), .synchronise("a.webarc.partial"),
                .rename, .synchronise(folder.url.lastPathComponent),
            ])
    }

    @Test func orderOfAppending() throws {
        _ = try trace("pack", "first", "-o", "a.webarc")
        for slot in [32, 64] {
            let start = try folder.read("a.webarc").count
            let site = "http://\(slot).example/"
            let calls = try trace("pack", "second", "-o", "a.webarc", "--append", "--base-url", site)
            let footer = try folder.read("a.webarc").count - 64
            #expect(
                calls == [
                    .write("a.webarc", 32, at: slot), .synchronise("a.webarc"),
                    .write("a.webarc", footer - start, at: start), .synchronise("a.webarc"),
                    .write("a.webarc", 64, at: footer), .synchronise("a.webarc"),
                    .write("a.webarc", 32, at: 96 - slot),
                ])
        }
    }
}
