// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import SystemPackage
import WebArchive
import WebArchiveInterchange

/// A WACZ file of a stranger: its import gives an intact archive, whose export is a WACZ file without damage, with the same pages.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzZIP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in
        // Other formats have targets of their own.
        guard bytes.starts(with: "PK".utf8) else { return }
        let file = ScratchFolder.write("in.wacz", bytes)
        do throws(ArchiveError) {
            try within(5, "import") { () throws(ArchiveError) in try check(file) }
        } catch {
            let known: Set<ArchiveError.Code> = [.notAnArchive, .damaged, .truncated, .limitExceeded]
            expect(known.contains(error.code), "\(error)")
        }
    }
}

private func check(_ file: FilePath) throws(ArchiveError) {
    let first = ScratchFolder.path.appending("first.webarc")
    ScratchFolder.remove("first.webarc")
    try ArchiveImporter(into: first).run([file])
    let archive = try ArchiveReader(path: first)
    for finding in ArchiveVerifier(archive).run() { expect(finding.severity != .error, "\(finding)") }
    var out: [UInt8] = []
    try WACZExporter(archive).write { chunk throws(ArchiveError) in out.append(contentsOf: chunk) }
    let second = ScratchFolder.path.appending("second.webarc")
    ScratchFolder.remove("second.webarc")
    let summary = try ArchiveImporter(into: second).run([ScratchFolder.write("out.wacz", out)])
    expect(summary.damage.isEmpty, "the export has damage: \(summary.damage)")
    let again = try ArchiveReader(path: second)
    expect(archive.pageCount == 0 || again.pageCount == archive.pageCount, "another number of pages")
}
