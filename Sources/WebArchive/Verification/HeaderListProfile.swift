// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The demands of a header list on its users, so that the list is walked once and not once for each of them.
///
/// Specification section 7, "HeaderList" and "HeaderField".
struct HeaderListProfile {
    /// Fields whose value is the next fill string.
    var fillCount = 0
    /// Bytes of names and of values that stand in the list.
    var length = 0
    /// The place in the list of the first field whose value follows from a response, which a request's list must not have.
    var derivedPlace: Int?

    /// Walks a list. Throws `damaged` for what cannot be decoded whoever uses it.
    init(_ list: RowPlace, in index: ArchiveIndex) throws(ArchiveError) {
        let fields = try HeaderListRows(of: list, in: index)
        for (place, field) in fields.enumerated() {
            length += try fields.name(of: field).count
            switch try HeaderForm(of: field, in: index) {
            case .literal: length += try index.string(.fieldValue, field)?.count ?? 0
            case .fill: fillCount += 1
            default: derivedPlace = derivedPlace ?? place
            }
        }
    }

    init(fillCount: Int, length: Int, derivedPlace: Int?) {
        (self.fillCount, self.length, self.derivedPlace) = (fillCount, length, derivedPlace)
    }

    /// The strings that fill the list for one who uses it, a range of rows of one commit. Throws `damaged`.
    func fillRows(
        from fill: RowPlace?, _ owner: RowPlace, _ key: IndexKey, in index: ArchiveIndex
    ) throws(ArchiveError) -> (commit: UInt32, rows: Range<Int>)? {
        guard fillCount > 0 else { return nil }
        guard let fill else { throw index.commit(owner).damaged("nothing fills a field", key, Int(owner.row)) }
        let rows = Int(fill.row)..<Int(fill.row) + fillCount
        guard rows.upperBound <= index.commit(fill).rowCount(.string) else {
            throw index.commit(owner).damaged("fewer fill strings than fields to fill", key, Int(owner.row))
        }
        return (fill.commit, rows)
    }
}

/// The profiles of the lists that were used last, and a limit to how many fields may be walked for them.
struct HeaderListProfiles {
    private let index: ArchiveIndex
    private var profiles = RecentValues<RowPlace, Result<HeaderListProfile, ArchiveError>>(capacity: 2048)
    private var fieldsLeft: Int

    /// Walks at most `fieldLimit` fields: lists may share fields, and a small file could hold millions of long ones.
    init(_ index: ArchiveIndex, fieldLimit: Int) {
        self.index = index
        fieldsLeft = fieldLimit
    }

    /// The profile of a list; nil once too many fields were walked. Throws `damaged`.
    mutating func profile(_ list: RowPlace) throws(ArchiveError) -> HeaderListProfile? {
        if let known = profiles[list] { return try known.get() }
        let count = try index.commit(list).count(
            .listCount, Int(list.row), atMost: FormatLimits.maximumFieldCount)
        guard count <= fieldsLeft else { return nil }
        fieldsLeft -= count
        let profile = Result { () throws(ArchiveError) in try HeaderListProfile(list, in: index) }
        profiles[list] = profile
        return try profile.get()
    }
}
