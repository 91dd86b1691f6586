// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// A row of a class, and how to read its keys. Specification section 6.2.
package struct StoredRow {
    let bytes: ArraySlice<UInt8>
    let keys: [ClassTable.Key]
    package let fileOffset: UInt64

    /// The number of an integer, time, reference or text key.
    package func integer(_ key: IndexKey) throws(ArchiveError) -> Int64 {
        guard let place = keys.first(where: { $0.key == key }) else { return key.defaultValue }
        let field = bytes[bytes.startIndex + place.offset..<bytes.startIndex + place.offset + place.width]
        let stored = field.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let (scaled, overflow) = (Int64(exactly: stored) ?? .max).multipliedReportingOverflow(by: place.step)
        let (value, overflowToo) = scaled.addingReportingOverflow(place.base)
        guard stored <= UInt64(Int64.max), !overflow, !overflowToo else {
            throw .damaged("a number too large", offset: fileOffset)
        }
        return value
    }

    /// A number that is neither negative nor above a limit.
    package func count(_ key: IndexKey, atMost limit: UInt64) throws(ArchiveError) -> UInt64 {
        let value = try integer(key)
        guard value >= 0, UInt64(value) <= limit else {
            throw .damaged("\(key.owner.name): \(key.name) is \(value)", offset: fileOffset)
        }
        return UInt64(value)
    }

    /// The row, through all commits, that a reference to one class points to; nil for null.
    package func reference(_ key: IndexKey) throws(ArchiveError) -> Int? {
        let value = try count(key, atMost: FormatLimits.maximumRowCount)
        return value == 0 ? nil : Int(value) - 1
    }

    package var digest: ContentDigest {
        get throws(ArchiveError) {
            guard let place = keys.first(where: { $0.key == .bodyDigest }) else {
                throw .damaged("a body without a digest", offset: fileOffset)
            }
            let start = bytes.startIndex + place.offset
            return Array(bytes[start..<start + ContentDigest.length]).withUnsafeBytes { ContentDigest($0) }
        }
    }
}
