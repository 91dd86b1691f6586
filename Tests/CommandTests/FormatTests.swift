// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive
import WebarcCommandLine

@testable import webarc

@Suite("Texts of the commands")
struct FormatTests {
    @Test(
        arguments: [
            ("@0", 1), ("@-5", -5_000_000_000), ("@", nil), ("@1.5", nil), ("@+1", nil), ("@99999999999999", nil),
            ("5", nil),
        ] as [(String, Int64?)])
    func secondsSince1970(_ text: String, _ nanoseconds: Int64?) {
        #expect(TimeArgument(argument: text)?.time.nanoseconds == nanoseconds)
    }

    @Test func everyWayOutHasItsAdvice() throws {
        let names = try RecoveryNames.all()
        #expect(names.contains("leaveOut") && names.contains("startHeadless"))
        for name in names {
            let error = ArchiveError(.poisoned, "fault", recovery: ArchiveError.Recovery(rawValue: name))
            #expect(Diagnostics.text(of: error).hasPrefix("fault; "), "\(name)")
        }
        let unknown = ArchiveError(.poisoned, "fault", recovery: ArchiveError.Recovery(rawValue: "ofALaterVersion"))
        #expect(Diagnostics.text(of: unknown) == "fault")
    }

    @Test func progress() {
        var progress = WorkProgress()
        (progress.bytes, progress.totalBytes, progress.items, progress.totalItems) = (50 << 20, 100 << 20, 1200, 2400)
        let text = ProgressText(verb: "Packing", progress: progress, seconds: 10)
        let line = "Packing  50 %  50.0 MiB of 100 MiB  0:10 left  5.0 MiB/s  1,200 of 2,400 files"
        #expect(text.fitting(200) == line)
        for width in 0..<90 { #expect(text.fitting(width).count <= width && line.hasPrefix(text.fitting(width))) }
        #expect(ProgressText(verb: "V", progress: WorkProgress(), seconds: 2).fitting(80) == "V  0 B")
    }
}
