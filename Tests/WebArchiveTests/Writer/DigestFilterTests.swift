// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

@Suite struct DigestFilterTests {
    /// Every member is found, and few others are taken for one.
    @Test(arguments: [0, 1, 6, 7, 64, 10_000]) func members(_ count: Int) {
        func digests(_ name: String) -> [ContentDigest] {
            (0..<count).map { ContentDigest(hashing: Array("\(name)\($0)".utf8)) }
        }
        let members = digests("member")
        let filter = DigestFilter(members)
        #expect(members.allSatisfy { filter.mayContain($0) })
        guard count > 1_000 else { return }
        #expect(digests("other").count { filter.mayContain($0) } < count / 50)
    }
}
