// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive
import WebarcCommandLine

@testable import webarc

@Suite("Texts of the commands")
struct FormatTests {
    @Test func secondsSince1970() {
        #expect(TimeArgument(argument: "@0")?.time.nanoseconds == 1)
        #expect(TimeArgument(argument: "@-5")?.time.nanoseconds == -5_000_000_000)
        for text in ["@", "@1.5", "@+1", "@99999999999999", "5"] {
            #expect(TimeArgument(argument: text) == nil, "\(text)")
        }
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
