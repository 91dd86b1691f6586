// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchive

/// Main pages that the metadata names.
@Suite struct MainPageFindingTests {
    @Test(
        arguments: [
            (nil, false), ("https://site.example/page1.html", false), ("http://site.example/page1", false),
            ("https://site.example/gone.html", true), ("start", true),
        ] as [(String?, Bool)])
    func aMainPageThatIsMissingIsAWarning(_ page: String?, _ isMissing: Bool) throws {
        let surgeon = try SampleArchive.surgeon { writer in
            try SampleArchive.mixed(writer)
            if let page { try writer.setMetadata("mainPage", to: page) }
        }
        for depth in [ArchiveVerifier.Depth.quick, .full] {
            let findings = try surgeon.findings(depth).filter { $0.code == .mainPageMissing }
            #expect(findings.map(\.url) == (isMissing ? [page] : []))
            #expect(findings.allSatisfy { $0.severity == .warning })
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
