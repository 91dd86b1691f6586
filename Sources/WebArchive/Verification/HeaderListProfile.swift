// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The requirements of a header list on its users, so that the list is read once and not once for each of them.
///
/// Specification section 7, "HeaderList" and "HeaderField".
struct HeaderListProfile {
    /// The number of fields whose value is the next fill string.
    var fillCount = 0
    /// The length of names and values in the list, in bytes.
    var length = 0
    /// The index in the list of the first field whose value is derived from a response, which a request's list must not have.
    var derivedPlace: Int?

    /// Reads a list. Throws `damaged` if no user could decode it.
    init(_ list: RowPlace, in index: ArchiveIndex) throws(ArchiveError) {
        let fields = try HeaderListRows(of: list, in: index)
        for (place, field) in fields.enumerated() {
            length += try fields.name(of: field).count
            switch try FieldValueEncoding(of: field, in: index) {
            case .literal: length += try index.string(.fieldValue, field)?.count ?? 0
            case .fill: fillCount += 1
            default: derivedPlace = derivedPlace ?? place
            }
        }
    }

    init(fillCount: Int, length: Int, derivedPlace: Int?) {
        (self.fillCount, self.length, self.derivedPlace) = (fillCount, length, derivedPlace)
    }

    /// Returns the strings that fill the list for one user, a range of rows of one commit. Throws `damaged`.
    func fillRows(
        from fill: RowPlace?, _ owner: RowPlace, _ key: IndexKey, in index: ArchiveIndex
    ) throws(ArchiveError) -> (commit: UInt32, rows: Range<Int>)? {
        guard fillCount > 0 else { return nil }
        guard let fill else { throw index.commit(owner).missingFill(key, owner.row) }
        let rows = Int(fill.row)..<Int(fill.row) + fillCount
        guard rows.upperBound <= index.commit(fill).rowCount(.string) else {
            throw index.commit(owner).missingFill(key, owner.row)
        }
        return (fill.commit, rows)
    }
}
