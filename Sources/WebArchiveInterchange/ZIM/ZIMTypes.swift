// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The media types of a ZIM file, by their numbers.
struct ZIMTypes {
    private let types: [String]

    private static let maximumLength: UInt64 = 1 << 20

    /// Reads the list: texts that end with 0, of which an empty one is the last.
    ///
    /// - Throws: `damaged` for a list without an end; `io`.
    init(_ source: any ByteSource, _ header: ZIMHeader) throws(ArchiveError) {
        let start = header.typeListOffset
        let bytes = try source.bytes(at: start, count: Int(min(Self.maximumLength, source.length - start)))
        var types: [String] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0), end > rest.startIndex {
            types.append(String(untrusted: rest[..<end]))
            rest = rest[(end + 1)...]
        }
        guard rest.first == 0 else {
            throw .damaged("the list of media types has no end within \(Self.maximumLength) bytes", offset: start)
        }
        self.types = types
    }

    /// Returns a type; nil for an unknown number, and for a text that no field can have.
    subscript(number: UInt16) -> String? {
        guard number < types.count else { return nil }
        let type = types[Int(number)]
        return type.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? type : nil
    }
}
