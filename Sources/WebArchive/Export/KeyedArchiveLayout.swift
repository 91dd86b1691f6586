// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The positions of the index's rows in `$objects` of a keyed archive.
///
/// Each class has one range, so a reference is found by addition, without memory for each object.
struct KeyedArchiveLayout {
    /// The arrays that `$top` names.
    enum Root: Int, CaseIterable {
        case entries, metadata, bodies, records, pages

        /// The key in `$top`.
        var name: String { "\(self)" }
        /// The class of the rows.
        var owner: IndexClass {
            switch self {
            case .entries: .entry
            case .metadata: .metadata
            case .bodies: .body
            case .records: .record
            case .pages: .page
            }
        }
    }

    /// The classes whose rows are objects, in the order of `$objects`.
    static let classes: [IndexClass] = [
        .string, .headerField, .headerList, .body, .block, .dictionary, .request, .response, .redirect, .metadata,
        .entry, .record, .page,
    ]
    /// The names of classes in the archive; header lists and roots are `NSArray`.
    static let classNames = classes.filter { $0 != .string && $0 != .headerList }.map(\.name) + ["NSArray"]

    private let starts: [IndexClass: Int]
    /// The position of the first key of an entry; each key occurs once.
    let keys: Int

    init(_ index: ArchiveIndex) {
        // Object 0 is "$null".
        var next = 1 + Self.classNames.count + Root.allCases.count
        var starts: [IndexClass: Int] = [:]
        for owner in Self.classes {
            starts[owner] = next
            next += index.rowCount(owner)
        }
        self.starts = starts
        keys = next
    }

    /// Returns the object of a class, by the class's name.
    func classObject(_ name: String) -> Int { 1 + (Self.classNames.firstIndex(of: name) ?? 0) }

    /// Returns the array of a root.
    func root(_ root: Root) -> Int { 1 + Self.classNames.count + root.rawValue }

    /// Returns the object of a row that is counted through all commits.
    func row(_ owner: IndexClass, _ row: Int) -> Int { (starts[owner] ?? 0) + row }
}
