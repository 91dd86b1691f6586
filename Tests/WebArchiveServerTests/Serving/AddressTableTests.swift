// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchiveServer

@Suite struct AddressTableTests {
    /// States below 0 are over.
    private let table = AddressTable<Int> { $0 < 0 }

    @Test func aStateStaysUntilItIsRemoved() {
        #expect(table.isEmpty)
        table.withState(of: "a") { $0 = 1 }
        table.withState(of: "a") { $0 = ($0 ?? 0) + 1 }
        #expect(!table.isEmpty)
        #expect(table.withState(of: "a") { $0 } == 2)
        #expect(table.withState(of: "b") { $0 } == nil)
        table.withState(of: "a") { $0 = nil }
        #expect(table.isEmpty)
    }

    @Test func aFullTableTakesNoNewStateButANeededOne() {
        for number in 0..<4096 { table.withState(of: "\(number)") { $0 = number } }
        table.withState(of: "new") { $0 = 1 }
        #expect(table.withState(of: "new") { $0 } == nil)
        table.withState(of: "needed", isNeeded: true) { $0 = 2 }
        #expect(table.withState(of: "needed") { $0 } == 2)
        table.withState(of: "7") { $0 = 70 }
        #expect(table.withState(of: "7") { $0 } == 70)
    }

    @Test func aFullTableRemovesStatesThatAreOver() {
        for number in 0..<4096 { table.withState(of: "\(number)") { $0 = number == 5 ? -1 : number } }
        table.withState(of: "new") { $0 = 1 }
        #expect(table.withState(of: "new") { $0 } == 1)
        #expect(table.withState(of: "5") { $0 } == nil)
        #expect(table.withState(of: "6") { $0 } == 6)
    }
}
