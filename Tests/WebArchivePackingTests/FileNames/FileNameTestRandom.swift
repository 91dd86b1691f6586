// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchive

@testable import WebArchivePacking

/// SplitMix64: a generator whose seed a failing test can print, and WEBARC_TEST_SEED can give back.
struct FileNameTestRandom: RandomNumberGenerator {
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

    private mutating func pieces(_ pieces: [String], upTo limit: Int) -> [UInt8] {
        (0..<Int.random(in: 0...limit, using: &self))
            .flatMap { _ in Array((pieces.randomElement(using: &self) ?? "").utf8) }
    }

    static let sites = ["https://h/", "http://u@h:81/", "foo://h", "foo://", "urn:"]

    mutating func site() throws -> CanonicalURL {
        try CanonicalURL(Self.sites.randomElement(using: &self) ?? "")
    }

    /// A URL whose path is rich in what needs an escape or looks like one.
    mutating func url() throws -> CanonicalURL {
        let long = String(repeating: "x", count: Int.random(in: 230...520, using: &self))
        let list = [
            "/", "/", "/", "a", "b", ".", "..", "%2E", "%2F", "%00", "%0A", "%2B", "+", "?", "?", "q=/..",
            "%25webarc%25",
            "%25webarc%25", "%25webarc+", "%5E", "%5E2F", "%3F", "%FF", "%C3%A9", "index.html", "%", "%20", ":", "*",
            "[", "con",
            "NUL.txt", long, "\\",
        ]
        let root = try site().root
        while true {
            if let url = try? CanonicalURL(utf8: root + pieces(list, upTo: 9)) { return url }
        }
    }

    /// A relative file path that a Linux file system can hold.
    mutating func filePath() -> [[UInt8]] {
        let list = [
            "%webarc%", "%webarc%", "%webarc+", "a", "b", ".", "..", "^", "^2F", "^2E", "?", "%", "%2F", "%2B", "+",
            "%3F", "#",
            " ", "\n", "é", "index.html", "[", ":", "\\", "con", "%25", "webarc", String(repeating: "y", count: 120),
        ]
        var filePath: [[UInt8]] = []
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            var name = pieces(list, upTo: 5)
            if Int.random(in: 0..<6, using: &self) == 0 { name.append(UInt8.random(in: 128...255, using: &self)) }
            if Int.random(in: 0..<4, using: &self) == 0 {
                name += Array(repeating: 0x7A, count: max(0, 254 - name.count)) + [0x5E]
            }
            name = Array(name.prefix(URLFileName.maximumLength))
            if FileNameRules.isLegal(name) { filePath.append(name) }
        }
        return filePath.isEmpty ? [[0x61]] : filePath
    }
}

/// A file path for a message.
func shown(_ filePath: [[UInt8]]) -> String {
    filePath.map { String(decoding: $0, as: UTF8.self).debugDescription }.joined(separator: "/")
}

/// Whether a file path can be used below any directory without leaving it.
func isSafe(_ filePath: [[UInt8]]) -> Bool {
    !filePath.isEmpty
        && filePath.allSatisfy { name in
            !name.isEmpty && name.count <= 255 && name != [0x2E] && name != [0x2E, 0x2E]
                && !name.contains(0x2F) && !name.contains(0)
        }
}
