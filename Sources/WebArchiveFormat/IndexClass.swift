// SPDX-License-Identifier: Apache-2.0

/// The classes of version 1. Specification section 7.
package enum IndexClass: Int, CaseIterable, Sendable {
    case entry, request, response, redirect, headerList, headerField, string, body, block, dictionary, metadata
    case keyBlock, bucket, slot
    case record, page

    private static let names = [
        "Entry", "Request", "Response", "Redirect", "HeaderList", "HeaderField", "String", "Body", "Block",
        "Dictionary", "Metadata", "KeyBlock", "Bucket", "Slot", "Record", "Page",
    ]

    /// The name in class tables.
    package var name: String { Self.names[rawValue] }

    /// Whether the class came with version 1.1: a commit without its rows does not list it.
    package var isLater: Bool { rawValue > IndexClass.slot.rawValue }

    /// The keys of the class, in the order of this library's writer.
    package var keys: [IndexKey] { IndexKey.allCases.filter { $0.owner == self } }

    /// Finds a class by its name; nil for an unknown class, which is skipped.
    static func named(_ name: String) -> IndexClass? { names.firstIndex(of: name).flatMap(IndexClass.init) }
}

/// The type of a key's value. Specification section 6.2.
package enum ValueType: UInt8, Sendable {
    /// A number: base + step × stored.
    case integer = 1
    /// A time in nanoseconds since 1970; the number of a row; the bytes in the row; a position in the heap of the
    /// class.
    case time, reference, bytes, text
}
