// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The dictionaries of a new archive, by their numbers: those that it keeps of an earlier edition, and one for each scope that has none
/// of them.
struct DictionarySet: Sendable {
    /// The dictionaries by number, the kept ones first. Their contents are made when a block first needs them.
    ///
    /// An archive has only those that a block uses, and numbers them in the order of their first use.
    let all: [SharedDictionary]
    /// For each file the number of its dictionary, or -1.
    let ofFile: [Int32]
    /// The edition whose dictionaries are kept; nil without one.
    private let edition: EarlierEdition?
    /// The kept dictionaries, by their rows in the earlier edition.
    private let kept: [Int: Int32]

    /// The factor of its length beyond which a dictionary is kept: the total length of the files that were compressed against it.
    private static let minimumUse: UInt64 = 8
    /// The number of bytes of files for each kept dictionary beyond one for each media type. An archive could have one for each block
    /// otherwise, all of them in memory.
    private static let bytesOfOne: UInt64 = 512 << 10
    /// The maximum length of a name; a longer one is left out.
    private static let maximumNameLength = 255

    /// Keeps the dictionaries of an earlier edition. A scope gets the one against which most of its files were compressed there, or none
    /// if they were compressed without. A scope without such files gets a new one, as does every scope without an earlier edition.
    ///
    /// Dictionaries are kept even if most pages have changed: new ones would be a large part of a patch.
    ///
    /// - Throws: `damaged` or `io` for the earlier edition.
    init(
        _ plan: DictionaryPlan, _ tree: SourceTree, keeping earlier: EditionPlan?, level: CompressionLevel,
        blockLength: Int
    ) throws(ArchiveError) {
        guard let earlier else {
            all = plan.scopes.map { Self.new($0, tree, level, blockLength) }
            (ofFile, edition, kept) = (plan.scopeOfFile, nil, [:])
            return
        }
        let stored = earlier.edition.stored
        var uses: [Int: UInt64] = [:]
        var rows: [Int?] = []
        for scope in plan.scopes {
            rows.append(try Self.row(of: scope, earlier, tree, &uses))
        }
        let most = UInt64(tree.mediaTypes.count) + uses.values.reduce(0) { $0.addingSaturated($1) } / Self.bytesOfOne
        var all: [SharedDictionary] = []
        var kept: [Int: Int32] = [:]
        for (row, use) in uses.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            guard row != Self.none else {
                kept[row] = -1
                continue
            }
            guard UInt64(all.count) < most, let body = try stored.dictionaryBody(row) else { continue }
            let length = try stored.archiveBody(body).length
            guard length <= blockLength, length.multipliedSaturated(by: Self.minimumUse) <= use else { continue }
            kept[row] = Int32(all.count)
            let name = try stored.dictionaryName(row).flatMap { $0.count <= Self.maximumNameLength ? $0 : nil }
            all.append(
                SharedDictionary(name: name, level: level, earlierRow: row) { () throws(ArchiveError) in
                    try stored.dictionaryContents(row)
                })
        }
        var ofScope: [Int32] = []
        for (scope, row) in zip(plan.scopes, rows) {
            if let number = row.flatMap({ kept[$0] }) {
                ofScope.append(number)
            } else {
                ofScope.append(Int32(all.count))
                all.append(Self.new(scope, tree, level, blockLength))
            }
        }
        let scopes = ofScope
        (self.all, self.kept, edition) = (all, kept, earlier.edition)
        ofFile = plan.scopeOfFile.map { $0 < 0 ? -1 : scopes[Int($0)] }
    }

    /// Returns the row of the dictionary against which most files of a scope were compressed; nil if none of them was compressed.
    ///
    /// - Parameter uses: the bytes of files by the rows of dictionaries, to which those of the scope are added.
    private static func row(
        of scope: DictionaryPlan.Scope, _ earlier: EditionPlan, _ tree: SourceTree, _ uses: inout [Int: UInt64]
    ) throws(ArchiveError) -> Int? {
        var votes: [Int: Int] = [:]
        for file in scope.members {
            guard let place = earlier.places[file] else { continue }
            let block = try earlier.edition.stored.block(Int(place.block))
            guard block.coding == .lz4 else { continue }
            votes[block.dictionary ?? none, default: 0] += 1
            uses[block.dictionary ?? none, default: 0] += tree.files[file].length
        }
        return votes.max { ($0.value, -$0.key) < ($1.value, -$1.key) }?.key
    }

    /// The row for no dictionary.
    private static let none = -1

    /// Returns a dictionary of the files of a scope, named after their media type.
    private static func new(
        _ scope: DictionaryPlan.Scope, _ tree: SourceTree, _ level: CompressionLevel, _ blockLength: Int
    ) -> SharedDictionary {
        let samples = ScopeSamples(tree: tree, scope: scope)
        return SharedDictionary(name: Array(tree.mediaTypes[scope.type].name.utf8), level: level) {
            () throws(ArchiveError) in
            try DictionaryBuilder(samples, level: level, blockLength: blockLength, trainer: samples.trained).build()
        }
    }

    /// Returns the number of the dictionary against which a block of the earlier edition was compressed, or -1 for none; nil if it was not
    /// compressed, or its dictionary is not kept.
    func number(ofEarlierBlock row: UInt32) throws(ArchiveError) -> Int32? {
        guard let block = try edition?.stored.block(Int(row)), block.coding == .lz4 else { return nil }
        return kept[block.dictionary ?? Self.none]
    }
}
