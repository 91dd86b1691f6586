// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchive

/// Main pages that the metadata names.
@Suite struct MainPageFindingTests {
    @Test(
        arguments: [
            (nil, nil), ("https://site.example/page1.html", nil), ("http://site.example/page1", nil),
            ("https://site.example/gone.html", "the main page is not in the archive"),
            ("start", "the main page is not a URL"),
        ] as [(String?, String?)])
    func aMainPageThatIsMissingIsAWarning(_ page: String?, _ message: String?) throws {
        let surgeon = try SampleArchive.surgeon { writer in
            try SampleArchive.mixed(writer)
            if let page { try writer.setMetadata("mainPage", to: page) }
        }
        for depth in [ArchiveVerifier.Depth.quick, .full] {
            let finding = try surgeon.findings(depth).first { $0.code == .mainPageMissing }
            #expect(finding?.message == message && (finding == nil || finding?.severity == .warning))
            if message != nil { #expect(finding?.url == page) }
        }
    }
}
