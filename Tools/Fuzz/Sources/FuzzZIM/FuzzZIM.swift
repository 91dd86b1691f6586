// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import SystemPackage
import WebArchive
import WebArchiveInterchange

/// A ZIM file of a stranger: its import gives an intact archive with the responses that were counted, all of them derived.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzZIM(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in
        // Other formats have targets of their own.
        guard bytes.starts(with: "ZIM\u{4}".utf8) else { return }
        let file = ScratchFolder.write("in.zim", bytes)
        let target = ScratchFolder.path.appending("out.webarc")
        ScratchFolder.remove("out.webarc")
        do throws(ArchiveError) {
            try within(5, "import") { () throws(ArchiveError) in try check(file, target) }
        } catch {
            let known: Set<ArchiveError.Code> = [.damaged, .truncated, .unsupportedVersion, .limitExceeded]
            expect(known.contains(error.code) && error.path == file.string, "\(error)")
        }
    }
}

private func check(_ file: FilePath, _ target: FilePath) throws(ArchiveError) {
    let summary = try ArchiveImporter(into: target).run([file])
    let archive = try ArchiveReader(path: target)
    for finding in ArchiveVerifier(archive).run() { expect(finding.severity != .error, "\(finding)") }
    var count = 0
    do {
        for entry in try archive.entries() {
            let response = try entry.response
            expect(response?.isDerived == true, "a response that is not derived")
            count += 1
        }
    } catch {
        expect(false, "\(error)")
    }
    expect(count == summary.responses && count == summary.derivedResponses, "\(count) entries of \(summary)")
}
