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

    /// A rule of the publisher answers for it, as it does for the target of a redirect.
    @Test func pagesThatRulesAnswer() throws {
        let surgeon = try SampleArchive.surgeon { writer in
            let origin = "https://site.example"
            try writer.add(
                ArchiveRequest(url: origin + "/home.html"), response: ArchiveResponse(), body: writer.addBody([1]))
            try writer.add(
                ArchiveRequest(url: origin + "/_redirects"), response: ArchiveResponse(),
                body: writer.addBody(Array("/go/* /home.html 200\n".utf8)), role: .unpackOnly)
            for (name, target) in [("old", "/go/x"), ("query", "/home.html?a=1"), ("gone", "/none")] {
                try writer.add(
                    ArchiveRequest(url: "\(origin)/\(name)"),
                    response: ArchiveResponse(
                        status: 301, headers: ["Location": target], redirectTarget: origin + target))
            }
            try writer.setMetadata("redirectRules", to: origin + "/_redirects")
            try writer.setMetadata("mainPage", to: origin + "/go/start")
        }
        let findings = try surgeon.findings(.full)
        #expect(findings.map(\.code) == [.redirectTargetMissing])
        #expect(findings.first?.url == "https://site.example/gone")
    }
}
