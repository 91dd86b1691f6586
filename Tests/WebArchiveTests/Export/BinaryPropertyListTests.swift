// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import WebArchive

@Suite struct BinaryPropertyListTests {
    /// Writes a list whose outermost object is the last one.
    private func data(count: Int, _ write: (inout BinaryPropertyList) throws -> Void) throws -> Data {
        let bytes = ByteCollector()
        var list = BinaryPropertyList(objectCount: count) { chunk throws(ArchiveError) in bytes.append(chunk) }
        try write(&list)
        try list.finish(top: list.count - 1)
        return Data(bytes.all)
    }

    private func read(_ data: Data) throws -> Any {
        var format = PropertyListSerialization.PropertyListFormat.xml
        let value = try PropertyListSerialization.propertyList(from: data, format: &format)
        #expect(format == .binary)
        return value
    }

    @Test func integers() throws {
        let values: [Int64] = [0, 1, 255, 256, 65_535, 65_536, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, .max, -1, .min]
        let data = try data(count: values.count + 1) { list in
            let numbers = try values.map { try list.integer($0) }
            try list.array(numbers)
        }
        #expect(try read(data) as? [Int64] == values)
    }

    @Test func texts() throws {
        let values = [
            "", "a", String(repeating: "x", count: 14), String(repeating: "y", count: 15), "gr\u{FC}n \u{1F600}",
            String(repeating: "\u{20AC}", count: 300),
        ]
        let data = try data(count: values.count + 1) { list in
            let numbers = try values.map { try list.text($0) }
            try list.array(numbers)
        }
        #expect(try read(data) as? [String] == values)
    }

    @Test func dataWhereNotUTF8() throws {
        let bytes: [UInt8] = [0x61, 0xFF, 0x62]
        let data = try data(count: 1) { list in
            _ = try bytes.withUnsafeBytes { try list.text($0) }
        }
        #expect(try read(data) as? Data == Data(bytes))
    }

    /// More objects than one or two bytes can number, and a list that leaves in several chunks.
    @Test(arguments: [200, 300, 70_000]) func manyObjects(_ count: Int) throws {
        let data = try data(count: count + 1) { list in
            for number in 0..<count { try list.integer(Int64(number) * 3) }
            try list.array(0..<count)
        }
        #expect(try read(data) as? [Int] == (0..<count).map { $0 * 3 })
    }

    @Test func dictionaries() throws {
        let data = try data(count: 5) { list in
            let keys = [try list.text("one"), try list.text("two")]
            let values = [try list.integer(1), try list.integer(2)]
            try list.dictionary(Array(zip(keys, values)))
        }
        #expect(try read(data) as? [String: Int] == ["one": 1, "two": 2])
    }

    @Test func failingSink() throws {
        var list = BinaryPropertyList(objectCount: 2) { _ throws(ArchiveError) in throw ArchiveError(.io, "full") }
        try list.integer(1)
        #expect(throws: ArchiveError(.io, "")) { try list.finish(top: 0) }
    }
}

/// Collects chunks; one thread writes, and reads when all is written.
final class ByteCollector {
    private(set) var all: [UInt8] = []
    func append(_ chunk: [UInt8]) { all += chunk }
}
