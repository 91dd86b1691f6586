// SPDX-License-Identifier: Apache-2.0

/// The header lists of a commit, each stored once. Specification section 7, "HeaderList".
struct HeaderListPool {
    struct Field: Hashable {
        let name: UInt32
        let form: UInt8
        let value: UInt32
    }

    private(set) var fields: [Field] = []
    private(set) var lists: [(first: UInt32, count: UInt32)] = []
    private var numbers: [[Field]: UInt32] = [:]

    /// The number of a list, from 1; 0 for a list without fields.
    mutating func add(_ list: [Field]) throws(ArchiveError) -> UInt32 {
        guard !list.isEmpty else { return 0 }
        if let number = numbers[list] { return number }
        guard list.count <= FormatLimits.maximumFieldCount else {
            throw ArchiveError(.limitExceeded, "\(list.count) header fields; at most 4096 are stored")
        }
        lists.append((UInt32(fields.count), UInt32(list.count)))
        fields.append(contentsOf: list)
        numbers[list] = UInt32(lists.count)
        return UInt32(lists.count)
    }
}
