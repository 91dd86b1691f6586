// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchivePacking

/// The warnings of a source that gives cause for any number of them.
@Suite struct LimitedWarningsTests {
    private let test = PackingTest()

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: test.folder.path("site/\(name)").string, withDestinationPath: target)
    }

    private func count(_ warnings: [PackingWarning]) -> [PackingWarning.Code: Int] {
        warnings.reduce(into: [:]) { $0[$1.code, default: 0] += 1 }
    }

    /// The only link of its kind is reported, wherever it comes.
    @Test(arguments: [false, true]) func ofManyLinksAHundredAreToldAndTheOthersCounted(_ isStrict: Bool) throws {
        try test.write("index.html", "a")
        for number in 0..<150 { try link("gone\(number)", to: "nothing") }
        try link("z", to: "../..")
        let warnings: [PackingWarning]
        if isStrict {
            let error = try #require(test.packingError { $0.requiresAllLinks = true })
            #expect(error.recovery == .allowOutsideLinks)
            warnings = try #require(error.cause as? SkippedLinks).warnings
        } else {
            warnings = try test.pack().warnings
        }
        #expect(count(warnings) == [.brokenLink: 100, .linkOutside: 1, .moreLinks: 1])
        #expect(warnings.last?.description == "\(test.site): 50 more symbolic links that are not followed")
        // In the bytewise order of names.
        #expect(warnings.first?.path == "\(test.site)/gone0" && warnings[2].path == "\(test.site)/gone10")
    }

    @Test func ofManyPrivateFilesAHundredAreToldAndTheOthersCounted() throws {
        for number in 0..<130 { try test.write("d\(number % 7)/.env.\(number)", "\(number)") }
        try test.write("index.html", "a")
        let warnings = try test.pack().warnings
        #expect(count(warnings) == [.privateFile: 100, .moreNames: 1])
        #expect(warnings.last?.description == "\(test.site): 30 more files and folders with such names")
    }

    @Test func ofManyRulesAHundredAreToldAndTheOthersCounted() throws {
        try test.write("index.html", "a")
        try test.write("_redirects", (0..<160).map { "/\($0) /none\($0) 200\n" }.joined())
        let warnings = try test.pack().warnings
        #expect(count(warnings) == [.targetMissing: 100, .moreRules: 1])
        #expect(warnings.last?.description == "_redirects: 60 more rules that are not fully packed")
    }
}
