// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchive

@Suite struct RepresentationSelectionTests {
    private func select(
        _ fields: [Preconditions.Field: String] = [:], range: String? = nil, length: UInt64 = 10
    ) -> RepresentationSelection {
        RepresentationSelection(
            Preconditions(entityTag: "\"a\"", modified: 0), length: length, range: range, field: { fields[$0] })
    }

    /// RFC 9110 sections 13.2.2 and 14.2: conditions come before ranges.
    @Test func conditionsAreEvaluatedBeforeRanges() {
        #expect(select([.ifMatch: "\"b\""], range: "bytes=0-1") == .preconditionFailed)
        #expect(select([.ifNoneMatch: "\"a\""], range: "bytes=0-1") == .notModified)
        #expect(select([.ifRange: "\"b\""], range: "bytes=0-1") == .whole)
        #expect(select([.ifRange: "\"a\""], range: "bytes=0-1") == .ranges([0..<2]))
    }

    @Test func rangesLieInTheContent() {
        #expect(select() == .whole)
        #expect(select(range: "bytes=8-20,-1") == .ranges([8..<10]))
        #expect(select(range: "bytes=10-") == .ranges([]))
        #expect(select(range: "lines=1-2") == .whole)
        #expect(select(range: "bytes=0-", length: 0) == .whole)
    }
}
