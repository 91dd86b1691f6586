// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import SystemPackage
import WebArchive
import WebArchiveInterchange

/// A HAR file of a stranger: its import gives an intact archive, whose export is a HAR file with the same exchanges.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHAR(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in
        // Other formats have targets of their own.
        guard bytes.first != 0x1F, !bytes.starts(with: "WARC/".utf8) else { return }
        let file = ScratchFolder.write("in.har", bytes)
        do throws(ArchiveError) {
            try within(5, "import") { () throws(ArchiveError) in try check(file) }
        } catch {
            expect([.notAnArchive, .limitExceeded].contains(error.code), "\(error)")
        }
    }
}

private func check(_ file: FilePath) throws(ArchiveError) {
    let (first, _) = try exported(file, "first.webarc")
    let (second, summary) = try exported(ScratchFolder.write("out.har", first), "second.webarc")
    expect(summary.damage.isEmpty, "the export has damage: \(summary.damage)")
    let (third, _) = try exported(ScratchFolder.write("out.har", second), "second.webarc")
    expect(second == third, "another export of the same exchanges")
}

/// Imports a file, and exports the archive.
private func exported(
    _ file: FilePath, _ name: String
) throws(ArchiveError) -> ([UInt8], ArchiveImporter.Summary) {
    let target = ScratchFolder.path.appending(name)
    ScratchFolder.remove(name)
    let summary = try ArchiveImporter(into: target).run([file])
    let archive = try ArchiveReader(path: target)
    for finding in ArchiveVerifier(archive).run() { expect(finding.severity != .error, "\(finding)") }
    var out: [UInt8] = []
    let count = try HARExporter(archive).write { chunk throws(ArchiveError) in out.append(contentsOf: chunk) }
    expect(count == summary.responses + summary.failedLoads, "\(count) entries of another number of exchanges")
    return (out, summary)
}
