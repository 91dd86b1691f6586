// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import SystemPackage
import WebArchive
import WebArchiveInterchange

/// A WARC file of a stranger: its import gives an intact archive, and without damage the same file again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWARC(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in
        let file = ScratchFolder.write("in.warc", bytes)
        let target = ScratchFolder.path.appending("out.webarc")
        ScratchFolder.remove("out.webarc")
        do throws(ArchiveError) {
            try within(5, "import") { () throws(ArchiveError) in try check(bytes, file, target) }
        } catch {
            expect([.notAnArchive, .limitExceeded].contains(error.code), "\(error)")
        }
    }
}

private func check(_ bytes: [UInt8], _ file: FilePath, _ target: FilePath) throws(ArchiveError) {
    var options = ArchiveImporter.Options()
    options.keepsOriginals = true
    try ArchiveImporter(into: target, options: options).run([file])
    let archive = try ArchiveReader(path: target)
    for finding in ArchiveVerifier(archive).run() { expect(finding.severity != .error, "\(finding)") }
    var exporter = WARCExporter(archive)
    (exporter.restoresOriginals, exporter.isCompressed) = (true, false)
    var out: [UInt8] = []
    do throws(ArchiveError) {
        try exporter.write { chunk throws(ArchiveError) in out.append(contentsOf: chunk) }
    } catch {
        // The archive knows that it lacks a record.
        expect(error.code == .invalidArgument, "\(error)")
        return
    }
    if bytes.starts(with: "WARC/".utf8) { expect(out == bytes, "another file than the imported one") }
    exporter.restoresOriginals = false
    try exporter.write { _ in }
}
