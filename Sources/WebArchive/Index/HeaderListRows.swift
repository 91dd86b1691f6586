// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The rows of a header list's fields, all of one commit. Specification section 7, "HeaderList" and "HeaderField".
struct HeaderListRows: Sequence {
    private let index: ArchiveIndex
    /// The commit that holds the fields.
    let commit: UInt32
    /// The rows of the fields in it, in the order of the list.
    let rows: Range<Int>

    /// - Throws: `damaged` if the list counts more rows than exist.
    init(of list: RowPlace, in index: ArchiveIndex) throws(ArchiveError) {
        self.index = index
        let owner = index.commit(list)
        let count = try owner.count(.listCount, Int(list.row), atMost: FormatLimits.maximumFieldCount)
        guard count > 0 else {
            (commit, rows) = (list.commit, 0..<0)
            return
        }
        guard let first = try index.row(.listFirst, list) else {
            throw owner.damaged("a header list has a count but no first field", .listFirst, Int(list.row))
        }
        guard Int(first.row) + count <= index.commit(first).rowCount(.headerField) else {
            throw owner.damaged("a header list extends past the last field", .listCount, Int(list.row))
        }
        (commit, rows) = (first.commit, Int(first.row)..<Int(first.row) + count)
    }

    func makeIterator() -> some IteratorProtocol<RowPlace> {
        rows.lazy.map { [commit] row in RowPlace(commit: commit, row: UInt32(row)) }.makeIterator()
    }

    /// Returns the name of a field.
    ///
    /// - Throws: `damaged`.
    func name(of field: RowPlace) throws(ArchiveError) -> UnsafeRawBufferPointer {
        guard let name = try index.string(.fieldName, field) else {
            throw index.commit(field).damaged("missing name", .fieldName, Int(field.row))
        }
        return name
    }
}

extension FieldValueEncoding {
    /// The form of the value in a row of `HeaderField`.
    ///
    /// - Throws: `damaged` for a number that is not a form.
    init(of field: RowPlace, in index: ArchiveIndex) throws(ArchiveError) {
        let commit = index.commit(field)
        let number = try commit.integer(.fieldForm, Int(field.row))
        guard let form = FieldValueEncoding(rawValue: number) else {
            throw Self.unknown(number, commit, field)
        }
        self = form
    }

    /// Returns the error for a number that is not a form, or not one of this list.
    static func unknown(_ number: Int64, _ commit: CommitIndex, _ field: RowPlace) -> ArchiveError {
        commit.damaged("unknown field form \(number)", .fieldForm, Int(field.row))
    }
}

extension CommitIndex {
    /// Returns the error for a header list without as many strings as its fields need.
    func missingFill(_ key: IndexKey, _ row: UInt32) -> ArchiveError {
        damaged("missing fill string", key, Int(row))
    }
}
