// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchive

/// RFC 9110 sections 12.4.2 and 12.5.4.
@Suite struct AcceptLanguageTests {
    @Test(arguments: [
        ("da, en-GB;q=0.8, en;q=0.7", ["da", "en-gb", "en"]), ("en;q=0.7, da", ["da", "en"]),
        ("de;q=0.5,fr;q=0.5", ["de", "fr"]), ("*, de;q=0.1", ["de"]), ("de;q=0", []), ("", []), ("de; q=1.000", ["de"]),
        ("de;q=2, fr;q=0.001", ["fr"]), ("de;q=x, fr", ["fr"]), (",,de,", ["de"]), ("d\u{e9}, <b>", []),
    ])
    func rangesByWeight(_ value: String, _ ranges: [String]) {
        #expect(AcceptLanguage([value]).ranges == ranges)
    }

    @Test func fieldsAreOneList() {
        #expect(AcceptLanguage(["de;q=0.5", "fr"]).ranges == ["fr", "de"])
        #expect(AcceptLanguage([String(repeating: "de,", count: 100_000)]).ranges.count == 50)
    }
}
