// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

@Suite struct HeaderListPoolTests {
    private func field(_ name: UInt32, _ form: UInt8 = 0, _ value: UInt32 = 1) -> HeaderListPool.Field {
        HeaderListPool.Field(name: name, form: form, value: value)
    }

    @Test func eachListOnce() throws {
        var pool = HeaderListPool()
        let lists = [
            [field(1)], [field(1), field(2)], [field(2), field(1)], [field(1, 1)], [field(1, 0, 2)],
            [field(1), field(1)],
        ]
        #expect(try pool.add([]) == 0)
        for _ in 0..<2 {
            for (number, list) in lists.enumerated() { #expect(try pool.add(list) == UInt32(number + 1)) }
        }
        #expect(pool.lists.count == lists.count)
        for (list, place) in zip(lists, pool.lists) {
            #expect(Array(pool.fields[Int(place.first)..<Int(place.first + place.count)]) == list)
        }
        #expect(pool.fields.count == lists.joined().count)
    }

    @Test func longestList() throws {
        var pool = HeaderListPool()
        #expect(try pool.add(Array(repeating: field(1), count: 4096)) == 1)
        #expect(archiveError { _ = try pool.add(Array(repeating: field(1), count: 4097)) }?.code == .limitExceeded)
        #expect(try pool.add([field(1)]) == 2)
    }
}
