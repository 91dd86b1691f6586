// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay

@Suite struct DeviceLanguageTests {
    /// RFC 9110 sections 12.4.2 and 12.5.4; RFC 4647 section 3.4.
    @Test(
        arguments: [
            ("de", "de"), ("de-AT", "de"), ("DE-at;q=0.7, en;q=0.3", "de"), ("fr;q=0.5,es;q=0.8", "es"),
            ("es, fr", "es"), ("zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"), ("zh-Hans-SG", "zh-Hans"), ("zh", "zh-Hans"),
            ("ja-JP", "ja"), ("ar-EG", "ar"), ("tlh, ar;q=0.1", "ar"), ("tlh", "en"), ("", "en"), (nil, "en"),
            ("*", "en"), ("*, en;q=0", "ar"), ("de;q=0, fr", "fr"), ("de;q=0", "en"), ("fr;q=0.001, de;q=0.002", "de"),
            // No weights, and so no ranges.
            ("de;q=2, fr", "fr"), ("de;q=0.1234, fr", "fr"), ("de;q=, fr", "fr"), ("de;q=1.001, fr", "fr"),
            ("de ; q=0.2 , fr ;\tq=0.4", "fr"), (";;,,;q=1,de", "de"), ("de;level=1, fr", "fr"),
            (String(repeating: "x,", count: 100_000) + "de", "en"),
        ] as [(String?, String)])
    func languageOfAField(field: String?, tag: String) {
        #expect(DeviceLanguage(accepting: field).tag == tag)
    }

    @Test func everyLanguageHasEveryText() {
        #expect(DeviceLanguage.all.map(\.tag).first == "en")
        #expect(Set(DeviceLanguage.all.map(\.tag)).isSuperset(of: ["en", "de", "fr", "es", "zh-Hans", "ja", "ar"]))
        for language in DeviceLanguage.all {
            for text in DeviceText.allCases {
                #expect(language.texts[text]?.isEmpty == false, "\(language.tag) \(text)")
            }
        }
    }

    /// A value is no template, and does not turn the text around it.
    @Test func valuesStandAsTheyAre() throws {
        let english = DeviceLanguage.english
        #expect(
            english[.methodText, ["url": "{methods}", "methods": "GET"]] == "The archive has {methods} for GET only.")
        let arabic = DeviceLanguage(accepting: "ar")
        #expect(arabic[.missingText, ["url": "http://a.example/"]].contains("\u{2068}http://a.example/\u{2069}"))
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    /// The source in the tree is that of the files in the tree.
    @Test(.enabled(if: Python.isThere)) func tableIsThatOfTheFiles() throws {
        let folder = try TemporaryFolder()
        let table = folder.path("LanguageTable.swift")
        let tool = try ExternalTool.run([
            "python3", "-B", Self.root.appending(path: "Tools/generate-translations").path,
            Self.root.appending(path: "Translations").path, table.string,
        ])
        #expect(tool.status == 0, "\(tool.text)")
        let source = Self.root.appending(path: "Sources/WebArchiveReplay/Languages/LanguageTable.swift")
        #expect(try folder.read("LanguageTable.swift") == Array(try Data(contentsOf: source)))
    }

    /// A file of somebody else's that does not fit is refused by its name.
    @Test(
        .enabled(if: Python.isThere),
        arguments: [
            ("\"back\": \"Back\"", "\"backwards\": \"Back\""), ("{url}", "{uri}"), ("\"Back\"", "\"\""),
            ("\"ltr\"", "\"up\""), ("\"language\": \"en\"", "\"language\": \"de\""), ("{\n", "[\n"),
        ])
    func filesThatDoNotFitAreRefused(part: String, replacement: String) throws {
        let folder = try TemporaryFolder()
        let english = try String(
            contentsOf: Self.root.appending(path: "Translations/en.json"), encoding: .utf8)
        try Data(english.utf8).write(to: URL(fileURLWithPath: folder.path("en.json").string))
        let broken = english.replacing("\"language\": \"en\"", with: "\"language\": \"pt\"")
        let changed = (part.contains("language") ? english : broken).replacing(part, with: replacement)
        try Data(changed.utf8).write(to: URL(fileURLWithPath: folder.path("pt.json").string))
        let tool = try ExternalTool.run([
            "python3", "-B", Self.root.appending(path: "Tools/generate-translations").path, folder.url.path,
            folder.path("table.swift").string,
        ])
        #expect(tool.status == 1)
        #expect(FileManager.default.fileExists(atPath: folder.path("table.swift").string) == false)
    }
}

@Suite struct NoticeLanguageTests {
    @Test(arguments: [
        ("de-CH", "de", "ltr", "Nicht in diesem Archiv", "Zur Hauptseite"),
        ("ar", "ar", "rtl", "ليس في هذا الأرشيف", "إلى الصفحة الرئيسية"),
        ("zh-CN", "zh-Hans", "ltr", "不在此存档中", "前往主页"), ("pl", "en", "ltr", "Not in this archive", "To the main page"),
    ])
    func noticeIsInTheVisitorsLanguage(
        accepted: String, tag: String, direction: String, title: String, way: String
    ) throws {
        let sample = try ReplaySample()
        let response = try sample.responder().getPath("/gone", [.acceptLanguage: accepted])
        let text = try response.text
        #expect(text.contains("<html lang=\"\(tag)\" dir=\"\(direction)\">"))
        #expect(text.contains("<h1>\(title)</h1>") && text.contains(">\(way)</a>"))
        #expect(response.field(.contentLanguage) == tag && response.field(.vary) == "Accept-Language")
    }

    @Test func damageIsToldInTheVisitorsLanguage() throws {
        let text = NoticePage.unreadable(ArchiveError(.damaged, ""), DeviceLanguage(accepting: "fr")).html
        #expect(text.contains("Cette page se trouve dans l’archive, mais ses données sont endommagées."))
        #expect(
            NoticePage.unreadable(ArchiveError(.damaged, ""), .english).html.contains(
                "This page is in the archive, but its data is damaged."))
    }

    /// A way to the main page is shown only where it ends at another page than the one that shows it.
    @Test(
        arguments: [
            ("/", nil, "/gone", true), ("/nowhere", nil, "/nowhere", false), ("/nowhere", nil, "/gone", false),
            ("/start", "https://site.example/gone", "/gone", false),
            ("/start", "https://site.example/nowhere", "/gone", false),
            ("/start", "https://site.example/start", "/gone", false),
            ("/start", "https://site.example/style.css", "/gone", true),
        ] as [(String, String?, String, Bool)])
    func wayToTheMainPageLeadsElsewhere(mainPage: String, target: String?, path: String, isShown: Bool) throws {
        let sample = try ReplaySample { writer in
            if let target {
                try writer.add(
                    ArchiveRequest(url: "https://site.example\(mainPage)"),
                    response: ArchiveResponse(status: 302, headers: ["Location": target], redirectTarget: target))
            }
            try writer.setMetadata("mainPage", to: "https://site.example\(mainPage)")
        }
        for addressing in [ReplayRequest.Addressing.mainPageOrigin, .ownOrigins] {
            var request = ReplayRequest("https://site.example\(path)")
            request.addressing = addressing
            let response = try sample.responder().respond(to: request)
            #expect(response.isMissing)
            #expect(try response.text.contains("class=\"way\"") == isShown)
        }
    }
}
