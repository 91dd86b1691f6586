// SPDX-License-Identifier: Apache-2.0

/// The header lists of a commit, each stored once. Specification section 7, "HeaderList".
struct HeaderListPool {
    /// A header field, by the numbers of its strings.
    struct Field: Hashable {
        /// The number of the name.
        let name: UInt32
        /// The form of the value: ``FieldValueEncoding``.
        let form: UInt8
        /// The number of the value's string, for the literal form; 0 for the others.
        let value: UInt32
    }

    /// The fields of all lists, those of one list together.
    private(set) var fields: [Field] = []
    /// The position of each list in ``fields``.
    private(set) var lists: [(first: UInt32, count: UInt32)] = []
    private var numbers: [[Field]: UInt32] = [:]

    /// Returns the number of a list, from 1; 0 for a list without fields.
    mutating func add(_ list: [Field]) throws(ArchiveError) -> UInt32 {
        guard !list.isEmpty else { return 0 }
        if let number = numbers[list] { return number }
        guard list.count <= FormatLimits.maximumFieldCount else {
            throw ArchiveError(.limitExceeded, "\(list.count) header fields; the limit is 4,096")
        }
        lists.append((UInt32(fields.count), UInt32(list.count)))
        fields.append(contentsOf: list)
        numbers[list] = UInt32(lists.count)
        return UInt32(lists.count)
    }
}
