// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchiveCaching

@Suite struct ArchivePolicyTests {
    @Test func aPolicyIsKnownByItsName() {
        #expect("\(ArchivePolicy(name: "mine", .archiveFirst))" == "mine")
        #expect(ArchivePolicy(name: "mine", .archiveFirst) != .archiveFirst)
    }
}
