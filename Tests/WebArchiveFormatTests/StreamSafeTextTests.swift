// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveFormat

@Suite struct StreamSafeTextTests {
    @Test(arguments: [
        "", "text", "Übergröße", "ṩ̈", "\u{1F468}\u{200D}\u{1F469}", "한국어", String(repeating: "e\u{301}", count: 1000),
    ])
    func honestTextStays(_ text: String) {
        #expect(String(untrusted: Array(text.utf8)).utf8.elementsEqual(text.utf8))
    }

    /// UAX #15, section 13: at most 30 marks in a row. The 31st and every 31st of those that follow are replaced.
    @Test func longRunsOfMarksAreBroken() {
        let marks = String(repeating: "\u{301}\u{316}", count: 15)
        #expect(String(untrusted: Array(("e" + marks).utf8)).unicodeScalars.elementsEqual(("e" + marks).unicodeScalars))
        let broken = String(untrusted: Array(("e" + marks + "\u{301}" + marks + "!").utf8))
        #expect(broken.unicodeScalars.elementsEqual(("e" + marks + "\u{FFFD}" + marks + "!").unicodeScalars))
    }

    @Test func noRunIsLeft() {
        var random = SeededGenerator.printed()
        let scalars: [Unicode.Scalar] = [
            "\u{F73}", "\u{F75}", "\u{F81}", "a", "\u{301}", "\u{316}", "\u{344}", "\u{E9}", "\u{200D}", "\u{20DD}",
            "\u{FFFD}",
        ]
        for _ in 0..<200 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<400, using: &random) {
                text.append(Bool.random(using: &random) ? "\u{301}" : scalars.randomElement(using: &random)!)
            }
            var run = 0
            for scalar in String(text).streamSafe.unicodeScalars {
                let isPair = [0x344, 0xF73, 0xF75, 0xF81].contains(scalar.value)
                run = isPair ? run + 2 : scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
                #expect(run <= 30, "seed \(random.seed)")
            }
        }
    }

    /// Class 0, and two marks of another class: what normalisation moves is known from the decomposition only.
    @Test(arguments: ["\u{F73}", "\u{F75}", "\u{F81}", "\u{344}"] as [Unicode.Scalar])
    func charactersOfTwoMarksCountTwice(_ scalar: Unicode.Scalar) {
        func text(_ count: Int) -> String { "e" + String(repeating: String(scalar), count: count) }
        #expect(text(15).streamSafe.unicodeScalars.elementsEqual(text(15).unicodeScalars))
        #expect(text(16).streamSafe.unicodeScalars.elementsEqual((text(15) + "\u{FFFD}").unicodeScalars))
    }

    @Test func whatIsNotUTF8IsReplaced() { #expect(String(untrusted: [0x61, 0xFF, 0x62]) == "a\u{FFFD}b") }
}
