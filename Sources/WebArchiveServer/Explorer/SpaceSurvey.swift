// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveReplay

/// A survey of the space below a URL, by folder and by type. A body that several entries share counts for the first of them.
struct SpaceSurvey: Sendable {
    /// An amount of content.
    struct Amount: Sendable {
        /// The number of entries, also of those without a body.
        var entries = 0
        /// The length in bytes, decoded.
        var length: UInt64 = 0
        /// The length in bytes, as stored in the file.
        var stored: UInt64 = 0

        /// Adds another amount. Lengths saturate, so that a damaged archive cannot overflow them.
        mutating func add(_ other: Amount) {
            entries += other.entries
            length = length.addingSaturated(other.length)
            stored = stored.addingSaturated(other.stored)
        }
    }

    /// The content of one folder, at any depth; or of the surveyed folder itself.
    struct Part: Sendable {
        /// The common prefix of its URLs; the surveyed one for entries directly in it.
        let prefix: String
        /// The number in the order of their keys: names of thousands of bytes are not compared to order parts of one size.
        var number = Int.max
        var amount = Amount()
        /// The stored length by kind of content, in bytes.
        var groups: [ContentGroup: UInt64] = [:]

        /// Adds a stored length to that of a kind.
        mutating func add(_ stored: UInt64, _ group: ContentGroup) {
            groups[group] = (groups[group] ?? 0).addingSaturated(stored)
        }
    }

    /// The prefix of the URLs that were surveyed; empty for all.
    let prefix: String
    /// The parts, the largest first.
    private(set) var parts: [Part] = []
    /// The types by media type, the largest first.
    private(set) var types: [(name: String, amount: Amount)] = []
    /// The amount that is in neither list, because they are full.
    private(set) var otherParts = Amount()
    /// The amount of the types beyond those that are listed.
    private(set) var otherTypes = Amount()
    /// The amount of all entries that were examined.
    private(set) var total = Amount()
    /// Whether there is more than was examined.
    private(set) var isCut = false

    /// The maximum number of examined entries: a few seconds.
    static let maximumSurveyedCount = 2_000_000
    /// The maximum number of listed parts.
    private static let maximumPartCount = 100
    /// The maximum number of listed types.
    private static let maximumTypeCount = 50
    /// The maximum length of a folder's URL and of a media type that are distinguished, in bytes; longer ones are among the others.
    private static let maximumPrefixLength = 4096
    /// The maximum length of a media type that is distinguished, in bytes.
    private static let maximumTypeLength = 255
    /// The number of parts and types that are distinguished while counting.
    private static let maximumGroupCount = 4096

    /// Examines up to two million entries of all layers whose URLs begin with a text.
    ///
    /// Memory is bounded: small folders are merged into the others while counting, beyond 4,096 different ones.
    ///
    /// - Throws: `damaged` or `io`; `limitExceeded` where the entries decode to more than one pass may.
    init(_ site: ReplaySite, prefix: String) throws(ArchiveError) {
        self.prefix = prefix
        var counts: [String: Amount] = [:]
        var folders: [String: Part] = [:]
        var number = 0
        for layer in site.layers {
            var seen = RowSet(capacity: layer.bodyCount)
            let length = prefix.utf8.count
            var current: (key: [UInt8], part: Part)?
            try layer.limitedToOnePass().forEachEntry(prefix: prefix) { entry throws(ArchiveError) in
                guard total.entries < Self.maximumSurveyedCount else {
                    isCut = true
                    return false
                }
                let key = try entry.keyBytes
                let name = Self.partName(key, length)
                if current?.key != Array(name) {
                    if let current { add(current.part, to: &folders) }
                    current = (Array(name), Part(prefix: String(untrusted: name), number: number))
                    number += 1
                }
                var amount = Amount(entries: 1)
                if let body = try entry.body, seen.insert(body.number) {
                    (amount.length, amount.stored) = (body.length, try body.storedLength)
                }
                let stored = try entry.outline?.mediaType ?? ""
                let type = stored.utf8.count <= Self.maximumTypeLength ? stored : nil
                current?.part.amount.add(amount)
                current?.part.add(amount.stored, type.map(ContentGroup.init) ?? .other)
                total.add(amount)
                if let type, counts[type] != nil || counts.count < Self.maximumGroupCount {
                    counts[type, default: Amount()].add(amount)
                } else {
                    otherTypes.add(amount)
                }
                return true
            }
            if let current { add(current.part, to: &folders) }
        }
        let ordered = counts.sorted {
            $0.value.stored == $1.value.stored
                ? $0.key.precedesInBytes($1.key) : $0.value.stored > $1.value.stored
        }
        types = ordered.prefix(Self.maximumTypeCount).map { ($0.key, $0.value) }
        for (_, amount) in ordered.dropFirst(Self.maximumTypeCount) { otherTypes.add(amount) }
        parts = largest(Self.maximumPartCount, of: folders)
    }

    /// Returns the part of a URL below the surveyed folder: up to the next slash; the folder itself without one.
    ///
    /// - Parameter length: the length of the prefix of the surveyed folder, in bytes.
    private static func partName(_ key: [UInt8], _ length: Int) -> ArraySlice<UInt8> {
        var start = length
        // Scheme and host are one step.
        if length == 0, let colon = key.firstIndex(of: UInt8(ascii: ":")) {
            let rest = key[colon...].dropFirst()
            guard rest.starts(with: "//".utf8) else { return key[...colon] }
            start = rest.startIndex + 2
        }
        let path = key[start...].prefix { $0 != UInt8(ascii: "?") }
        guard let slash = path.firstIndex(of: UInt8(ascii: "/")) else { return key[..<length] }
        return key[...slash]
    }

    /// Adds a part to the folders, or to the others if its prefix is too long. A full table is halved, and the smaller
    /// half is added to the others.
    private mutating func add(_ part: Part, to folders: inout [String: Part]) {
        guard part.prefix.utf8.count <= Self.maximumPrefixLength else { return otherParts.add(part.amount) }
        folders[part.prefix, default: Part(prefix: part.prefix, number: part.number)].amount.add(part.amount)
        folders[part.prefix]?.groups.merge(part.groups) { $0.addingSaturated($1) }
        guard folders.count >= Self.maximumGroupCount else { return }
        let kept = largest(Self.maximumGroupCount / 2, of: folders)
        folders = Dictionary(uniqueKeysWithValues: kept.map { ($0.prefix, $0) })
    }

    /// Returns the largest parts, in the order of their stored lengths. Counts omitted parts among the others.
    private mutating func largest(_ count: Int, of folders: [String: Part]) -> [Part] {
        let ordered = folders.values.sorted {
            ($1.amount.stored, $0.number) < ($0.amount.stored, $1.number)
        }
        for part in ordered.dropFirst(count) { otherParts.add(part.amount) }
        return Array(ordered.prefix(count))
    }
}
