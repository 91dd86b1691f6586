// SPDX-License-Identifier: Apache-2.0

import Foundation

/// SplitMix64: a generator whose seed a failing test can print, and WEBARC_TEST_SEED can give back.
struct URLTestRandom: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init() {
        let given = ProcessInfo.processInfo.environment["WEBARC_TEST_SEED"].flatMap(UInt64.init)
        seed = given ?? UInt64.random(in: 0...UInt64.max)
        state = seed
        print("seed: WEBARC_TEST_SEED=\(seed)")
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Text put together from pieces, with a random byte here and there.
    mutating func text(of pieces: [String], upTo limit: Int) -> [UInt8] {
        var text: [UInt8] = []
        for _ in 0..<Int.random(in: 0...limit, using: &self) {
            if Int.random(in: 0..<12, using: &self) == 0 {
                text.append(UInt8.random(in: 0...255, using: &self))
            } else if let piece = pieces.randomElement(using: &self) {
                text.append(contentsOf: piece.utf8)
            }
        }
        return text
    }

    /// A text that is often a URL and often one with something wrong in it.
    mutating func urlText() -> [UInt8] {
        let schemes = [
            "http:", "https:", "HTTP:", "ws:", "wss:", "ftp:", "foo:", "urn:", "file:", "a+b-c.d:", "", "1:", ":",
        ]
        let hosts = [
            "example.org", "EXAMPLE.org", "a", "%41", "%7e", "%2f", "%2F", "[::1]", "[::A]", "[", "]", "b_c", "%", "%2",
            "\"",
        ]
        let pieces = [
            "/", "/", "/", ".", "..", "/.", "/..", "%2e", "%2E", "%", "%2", "%25", "41", "%41", "%7E", "%2f", "%C3%A9",
            "é",
            "?", "#", "a", "B", " ", "\t", "\n", "\r", "\\", ":", "@", "^", "`", "{", "|", "<", "\"", "[", "]", "+",
            "%2b",
        ]
        var text = Int.random(in: 0..<5, using: &self) == 0 ? self.text(of: [" ", "\n", "\u{1}"], upTo: 2) : []
        text += schemes.randomElement(using: &self).map { Array($0.utf8) } ?? []
        if Int.random(in: 0..<6, using: &self) != 0 {
            text += "//".utf8
            if Int.random(in: 0..<5, using: &self) == 0 {
                text += self.text(of: ["u", ":", "%41", "%", "@"], upTo: 4) + [0x40]
            }
            for _ in 0..<Int.random(in: 0...3, using: &self) where Int.random(in: 0..<3, using: &self) != 0 {
                text += hosts.randomElement(using: &self).map { Array($0.utf8) } ?? []
            }
            if Int.random(in: 0..<4, using: &self) == 0 {
                text +=
                    [":", ":80", ":443", ":21", ":0080", ":65535", ":65536", ":0", ":8x"].randomElement(using: &self)
                    .map { Array($0.utf8) } ?? []
            }
            if Int.random(in: 0..<8, using: &self) != 0 { text.append(0x2F) }
        }
        return text + self.text(of: pieces, upTo: 12)
    }
}
