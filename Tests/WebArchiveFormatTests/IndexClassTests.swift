// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchiveFormat

@Suite struct IndexClassTests {
    /// The classes of section 7, which stand in bold at the start of a sentence.
    @Test func namesOfTheSpecification() {
        let text = SpecificationText.section("## 7.").joined(separator: "\n")
        let names = text.matches(of: /\*\*([A-Z][A-Za-z]+)\*\*[:,]/).map { String($0.output.1) }
        #expect(Set(names) == Set(IndexClass.allCases.map(\.name)))
        #expect(names.count == IndexClass.allCases.count)
    }

    @Test func namesAndBack() {
        for owner in IndexClass.allCases { #expect(IndexClass.named(owner.name) == owner) }
        #expect(IndexClass.named("entry") == nil)
        #expect(IndexClass.named("") == nil)
    }

    @Test func keysBelongToOneClass() {
        #expect(IndexClass.allCases.flatMap(\.keys) == IndexKey.allCases)
        for owner in IndexClass.allCases {
            #expect(owner.keys.allSatisfy { $0.owner == owner })
            #expect(Set(owner.keys.map(\.name)).count == owner.keys.count)
        }
    }

    /// Section 6.2.
    @Test func typesOfTheSpecification() {
        let types: [ValueType] = [.integer, .time, .reference, .bytes, .text]
        let rows = SpecificationText.rows(SpecificationText.section("### 6.2")).filter { Int($0[0]) != nil }
        #expect(rows.map { "\($0[0]) \($0[1])" } == types.map { "\($0.rawValue) \($0)" })
    }
}
