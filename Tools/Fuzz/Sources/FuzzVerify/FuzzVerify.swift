// SPDX-License-Identifier: Apache-2.0

import ArchiveMutator
import FuzzSupport

@testable import WebArchive

/// Verification, and the index as a property list.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzVerify(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzz(start, count) { bytes in
        guard let archive = try? ArchiveReader(bytes: bytes) else { return }
        let findings = ArchiveVerifier(archive).run()
        for finding in findings {
            expect(!finding.description.isEmpty, "a finding that says nothing")
            expect(finding.offset ?? 0 <= archive.fileLength, "\(finding) lies outside of the file")
        }
        let isIntact = !findings.contains { $0.severity == .error }
        if isIntact { IntactArchive(archive: archive).check() }
        exportIndex(of: archive, isIntact: isIntact)
    }
}

/// Whatever is written must be a property list; what is intact must be written.
private func exportIndex(of archive: ArchiveReader, isIntact: Bool) {
    var list: [UInt8] = []
    do {
        try KeyedArchiveExport(archive).write { chunk throws(ArchiveError) in list += chunk }
    } catch {
        expect(!isIntact || error.code == .limitExceeded, "an intact archive without a property list: \(error)")
        return
    }
    PropertyListCheck(list).run()
}
