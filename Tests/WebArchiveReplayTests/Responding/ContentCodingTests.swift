// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import WebArchiveReplay

@Suite struct ContentCodingTests {
    @Test(arguments: ContentCoding.allCases, [0, 1, 2]) func shortContentIsNotCoded(
        _ coding: ContentCoding, _ length: Int
    ) {
        #expect(coding.encoded(ByteBuffer(repeating: 7, count: length)) == nil)
    }
}
