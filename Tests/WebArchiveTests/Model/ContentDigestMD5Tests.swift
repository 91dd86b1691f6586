// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

@Suite struct ContentDigestMD5Tests {
    @Test(.enabled(if: Python.isThere)) func sameAsHashlib() throws {
        var random = SeededGenerator.printed()
        let texts = (Array(0...130) + [4095, 4096, 4097, 20_000]).map { random.bytes($0) }
        let script = """
            import hashlib, sys
            for line in sys.stdin: print(hashlib.md5(bytes.fromhex(line)).hexdigest())
            """
        let expected = try Python.answers(script, to: texts.map(\.hexadecimal))
        for (text, digest) in zip(texts, expected) {
            #expect(ContentDigest(hashing: text).description == digest, "\(text.count) bytes, seed \(random.seed)")
            #expect(text.withUnsafeBytes { ContentDigest(hashing: $0) } == ContentDigest(hexadecimal: digest))
        }
        #expect(ContentDigest(hashing: []) == .ofNothing)
    }
}
