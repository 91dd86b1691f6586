// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchiveUpdates

@Suite struct CommitContentsTests {
    /// A hostile archive can have bodies of 2^48 bytes, as many as it likes.
    @Test func lengthsThatAddUpToMoreThanANumberHolds() {
        let contents = CommitContents(bodyLengths: [.max, .max, 1], blockLengths: [1, .max, .max], fullLength: 4096)
        #expect(contents.endsOfBodies.reduce(0, +) == 3)
    }
}
