// SPDX-License-Identifier: Apache-2.0

/// The entries of an extract: those that the filter selects, and those that depend on them.
struct ExtractionPlan {
    private let filter: EntryFilter
    /// The canonical URLs of rule files.
    private let ruleFiles: Set<[UInt8]>
    /// The responses of entries that the filter selects and that are not aliases, by their rows.
    private var responses: Set<UInt64> = []
    /// The responses of aliases that patterns exclude, by their rows: `index.html` is the page of its folder as well.
    private var excludedResponses: Set<UInt64> = []
    /// The number of entries that the filter selects.
    private(set) var matchCount = 0
    /// Whether patterns excluded every entry that would have been selected.
    private(set) var isAllExcluded = false

    init(
        _ archive: ArchiveReader, _ filter: EntryFilter, metadata: [MetadataRow]
    ) throws(ArchiveError) {
        self.filter = filter
        let rules = metadata.first { $0.nameBytes.elementsEqual(MetadataName.redirectRules.utf8) }?.text ?? []
        ruleFiles = Set(rules.split(separator: UInt8(ascii: " ")).prefix(SiteRules.fileLimit).map { Array($0) })
        if !filter.exclude.isEmpty {
            try archive.limitedToOnePass().forEachEntry { entry throws(ArchiveError) in
                guard try entry.role == .alias, let url = Self.url(of: entry), filter.excludes(url),
                    let number = try Self.answer(of: entry)
                else { return true }
                excludedResponses.insert(number)
                return true
            }
        }
        try archive.limitedToOnePass().forEachEntry { entry throws(ArchiveError) in
            guard let url = Self.url(of: entry), filter.includes(url) else { return true }
            isAllExcluded = isAllExcluded || matchCount == 0
            guard try !excludes(url, entry) else { return true }
            isAllExcluded = false
            matchCount += 1
            if try entry.role != .alias, let number = try Self.answer(of: entry) { responses.insert(number) }
            return true
        }
    }

    /// Returns whether an entry is selected.
    func contains(_ entry: ArchiveEntry) throws(ArchiveError) -> Bool {
        // Copying it reports the damage.
        guard let url = Self.url(of: entry) else { return true }
        if try excludes(url, entry) { return ruleFiles.contains(Array(url.bytes)) }
        if filter.includes(url) || ruleFiles.contains(Array(url.bytes)) { return true }
        guard try entry.role == .alias else { return false }
        if let target = try? entry.redirectURL { return filter.contains(target) }
        return try Self.answer(of: entry).map(responses.contains) ?? false
    }

    /// Returns whether a pattern excludes an entry, by its URL or by that of an alias with the same response.
    private func excludes(_ url: CanonicalURL, _ entry: ArchiveEntry) throws(ArchiveError) -> Bool {
        if filter.excludes(url) { return true }
        guard !excludedResponses.isEmpty else { return false }
        return try Self.answer(of: entry).map(excludedResponses.contains) ?? false
    }

    /// Returns the URL of an entry; nil for a key that is not a URL.
    private static func url(of entry: ArchiveEntry) -> CanonicalURL? { try? entry.canonicalURL }

    private static func answer(of entry: ArchiveEntry) throws(ArchiveError) -> UInt64? {
        guard let (keys, row) = try entry.answerRow, keys.status.owner == .response else { return nil }
        return UInt64(row.commit) << 32 | UInt64(row.row)
    }
}
