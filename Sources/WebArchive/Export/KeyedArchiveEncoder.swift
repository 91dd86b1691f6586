// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// An encoder that turns the rows of an index into the objects of a keyed archive.
///
/// Runs twice: first into a list that only counts, since references to objects that come later need the number of all objects.
struct KeyedArchiveEncoder {
    /// The findings of the first run.
    struct Plan {
        let lists: HeaderListTable
        /// The number of elements of `$objects`.
        var objectCount = 0
        /// The number of different keys of entries.
        var keyCount = 0
        /// The number of objects of the property list, including those of `$objects`.
        var listCount = 0
    }

    private let index: ArchiveIndex
    private let layout: KeyedArchiveLayout
    private let plan: Plan
    private var list: BinaryPropertyList
    /// The number in the list of each element of `$objects`.
    private var objects: [Int] = []
    private var names: [String: Int] = [:]
    private var smallNumbers: [Int64: Int] = [:]
    private var elementsLeft: Int
    /// The remaining number of objects and their fields.
    private var partsLeft: Int
    private var keyCount = 0
    private var fillCount = 0

    init(_ index: ArchiveIndex, _ plan: Plan, into list: BinaryPropertyList) {
        self.index = index
        self.plan = plan
        self.list = list
        layout = KeyedArchiveLayout(index)
        // Lists that are stored once stay far below this limit; lists that share fields could reach terabytes.
        let users = [IndexClass.headerList, .request, .response, .redirect, .record].reduce(0) {
            $0 + index.rowCount($1)
        }
        let stored = Int(clamping: index.source.length.multipliedSaturated(by: 16))
        elementsLeft = 65_536 + min(256 * users + 16 * index.rowCount(.headerField), stored)
        // Rows that take hardly a byte are objects all the same; honest archives have several bytes for each part.
        partsLeft = 1 << 20 + Int(clamping: index.source.length / 4 * 3)
    }

    /// Counts the objects, which takes as long as writing them.
    ///
    /// - Throws: `damaged` or `io`; `limitExceeded`.
    static func plan(_ index: ArchiveIndex) throws(ArchiveError) -> Plan {
        let plan = Plan(lists: HeaderListTable(index, ParallelWork(threads: 1)))
        var encoder = KeyedArchiveEncoder(index, plan, into: .counting)
        try encoder.encode()
        let count = encoder.objects.count
        return Plan(
            lists: plan.lists, objectCount: count, keyCount: encoder.keyCount, listCount: encoder.list.count + count)
    }

    /// Writes identifiers, classes, roots, rows, keys and fill strings, in the order of ``KeyedArchiveLayout``.
    ///
    /// - Throws: as ``plan(_:)``, and errors of the sink.
    mutating func encode() throws(ArchiveError) {
        // The identifier of object i is object i of the list.
        for object in 0..<plan.objectCount { try list.identifier(object) }
        objects.reserveCapacity(plan.objectCount)
        objects.append(try list.text("$null"))
        try encodeClasses()
        for root in KeyedArchiveLayout.Root.allCases {
            let first = layout.row(root.owner, 0)
            try encodeArray(first..<first + index.rowCount(root.owner))
        }
        for owner in KeyedArchiveLayout.classes {
            try forEachRow(owner) { encoder, place throws(ArchiveError) in try encoder.encodeRow(owner, place) }
        }
        try encodeKeys()
        try encodeFills()
        try encodeTop()
    }

    private mutating func forEachRow(
        _ owner: IndexClass, _ work: (inout KeyedArchiveEncoder, RowPlace) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        for (number, commit) in index.commits.enumerated() {
            for row in 0..<commit.rowCount(owner) {
                try work(&self, RowPlace(commit: UInt32(number), row: UInt32(row)))
            }
        }
    }

    // MARK: - Parts around the rows

    private mutating func encodeClasses() throws(ArchiveError) {
        for name in KeyedArchiveLayout.classNames {
            let own = try self.name(name)
            let names = try list.array([own, self.name("NSObject")])
            objects.append(try list.dictionary([(self.name("$classname"), own), (self.name("$classes"), names)]))
        }
    }

    private mutating func encodeArray(_ elements: Range<Int>) throws(ArchiveError) {
        let array = try list.array(elements)
        let owner = layout.classObject("NSArray")
        objects.append(try list.dictionary([(name("NS.objects"), array), (name("$class"), owner)]))
    }

    private mutating func encodeTop() throws(ArchiveError) {
        var roots: [(key: Int, value: Int)] = []
        for root in KeyedArchiveLayout.Root.allCases { roots.append((try name(root.name), layout.root(root))) }
        let top = try list.dictionary(roots)
        let all = try list.array(objects)
        try list.finish(
            top: list.dictionary([
                (name("$archiver"), name("NSKeyedArchiver")), (name("$version"), number(100_000)),
                (name("$top"), top), (name("$objects"), all),
            ]))
    }

    /// Writes a string that many objects have, once.
    private mutating func name(_ text: String) throws(ArchiveError) -> Int {
        if let known = names[text] { return known }
        let number = try list.text(text)
        names[text] = number
        return number
    }

    private mutating func number(_ value: Int64) throws(ArchiveError) -> Int {
        guard (0..<1024).contains(value) else { return try list.integer(value) }
        if let known = smallNumbers[value] { return known }
        let number = try list.integer(value)
        smallNumbers[value] = number
        return number
    }

    // MARK: - Rows

    private mutating func encodeRow(_ owner: IndexClass, _ place: RowPlace) throws(ArchiveError) {
        switch owner {
        case .string:
            try takeParts(0)
            objects.append(try list.text(index.string(place)))
        case .headerList: try encodeList(place)
        default: try encodeObject(owner, place)
        }
    }

    private mutating func encodeObject(_ owner: IndexClass, _ place: RowPlace) throws(ArchiveError) {
        var fields = [(key: try name("$class"), value: layout.classObject(owner.name))]
        if owner == .entry { fields.append((try name("key"), try key(of: place))) }
        for key in owner.keys {
            if let value = try value(key, place) { fields.append((try name(key.name), value)) }
        }
        try takeParts(fields.count)
        objects.append(try list.dictionary(fields))
    }

    private mutating func takeParts(_ count: Int) throws(ArchiveError) {
        partsLeft -= 1 + count
        guard partsLeft >= 0 else {
            throw ArchiveError(
                .limitExceeded,
                "too many rows that take hardly a byte each; the property list would be far larger than the index")
        }
    }

    /// Returns the number of a value; nil for one that is left out.
    private mutating func value(_ key: IndexKey, _ place: RowPlace) throws(ArchiveError) -> Int? {
        let commit = index.commit(place)
        let row = Int(place.row)
        if let user = FillUser(fill: key) { return try fill(user, place) == nil ? nil : nextFill() }
        switch key.type {
        case .integer: return try number(commit.integer(key, row))
        case .time:
            let time = try commit.integer(key, row)
            return time == 0 ? nil : try number(time)
        case .reference:
            return try index.reference(key, place).map { layout.row($0.owner, index.row($0.owner, $0.place)) }
        case .bytes:
            return try commit.digest(row).bytes.withBytes { (bytes) throws(ArchiveError) in try list.data(bytes) }
        case .text: return nil
        }
    }

    private mutating func encodeList(_ place: RowPlace) throws(ArchiveError) {
        let fields = try HeaderListRows(of: place, in: index)
        try take(fields.rows.count)
        try takeParts(3)
        let first = layout.row(.headerField, index.commits[Int(fields.commit)].firstRow(.headerField))
        try encodeArray(first + fields.rows.lowerBound..<first + fields.rows.upperBound)
    }

    private mutating func take(_ count: Int) throws(ArchiveError) {
        elementsLeft -= count
        guard elementsLeft >= 0 else { throw Self.tooManyElements }
    }

    private static let tooManyElements = ArchiveError(
        .limitExceeded, "the header lists share too many fields; the property list would be far larger than the index")

    // MARK: - Keys

    /// Returns the object of an entry's key. Entries come in order, so equal keys follow one another.
    private mutating func key(of place: RowPlace) throws(ArchiveError) -> Int {
        if try isNewKey(place) { keyCount += 1 }
        return layout.keys + keyCount - 1
    }

    private func isNewKey(_ place: RowPlace) throws(ArchiveError) -> Bool {
        guard place.row > 0 else { return true }
        let commit = index.commit(place)
        let before = try commit.key(Int(place.row) - 1)
        return try before.withBytes { (key) throws(ArchiveError) in try commit.compareKey(Int(place.row), with: key) }
            != 0
    }

    private mutating func encodeKeys() throws(ArchiveError) {
        try forEachRow(.entry) { encoder, place throws(ArchiveError) in
            guard try encoder.isNewKey(place) else { return }
            let key = try encoder.index.commit(place).key(Int(place.row))
            encoder.objects.append(
                try key.withBytes { (bytes) throws(ArchiveError) in try encoder.list.text(bytes) })
        }
    }

    // MARK: - Fill strings

    private mutating func nextFill() -> Int {
        fillCount += 1
        return layout.keys + plan.keyCount + fillCount - 1
    }

    /// Returns the strings that fill the header list of a row; nil if it has no open places.
    private mutating func fill(
        _ user: FillUser, _ place: RowPlace
    ) throws(ArchiveError) -> (commit: UInt32, rows: Range<Int>)? {
        guard let target = try index.row(user.headers, place) else { return nil }
        guard let profile = try plan.lists.profile(target) else { throw Self.tooManyElements }
        return try profile.fillRows(from: index.row(user.fill, place), place, user.fill, in: index)
    }

    private mutating func encodeFills() throws(ArchiveError) {
        for user in FillUser.allCases {
            try forEachRow(user.owner) { encoder, place throws(ArchiveError) in
                guard let (commit, rows) = try encoder.fill(user, place) else { return }
                try encoder.take(rows.count)
                let first = encoder.layout.row(.string, encoder.index.commits[Int(commit)].firstRow(.string))
                try encoder.encodeArray(first + rows.lowerBound..<first + rows.upperBound)
            }
        }
    }
}

/// A class whose rows fill header lists, in the order of `$objects`.
private enum FillUser: CaseIterable {
    case request, response, redirect, record

    init?(fill key: IndexKey) {
        guard let user = Self.allCases.first(where: { $0.fill == key }) else { return nil }
        self = user
    }

    var owner: IndexClass { fill.owner }

    var fill: IndexKey {
        switch self {
        case .request: .requestFill
        case .response: .responseFill
        case .redirect: .redirectFill
        case .record: .recordFill
        }
    }

    var headers: IndexKey {
        switch self {
        case .request: .requestHeaders
        case .response: .responseHeaders
        case .redirect: .redirectHeaders
        case .record: .recordHeaders
        }
    }
}

extension ArchiveIndex {
    /// Returns the number of a row through all commits.
    fileprivate func row(_ owner: IndexClass, _ place: RowPlace) -> Int {
        commit(place).firstRow(owner) + Int(place.row)
    }
}
