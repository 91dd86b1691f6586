// SPDX-License-Identifier: Apache-2.0

/// The content of a request, for the search of the stored requests that are alike. Specification section 8.5, rule 13.
struct SimilarContent {
    private let digest: ContentDigest
    private let type: String
    private let mediaType: String?
    private let comparisons: ContentComparisons
    private let tree: ContentTree
    private let time: ArchiveTime?

    /// The maximum number of stored requests whose content is compared.
    private static let limit = 100

    /// Reads the content of a request; nil if it has none that can be compared.
    ///
    /// - Parameter budget: the budget of the request, whose ``DecodingBudget/comparisons`` are used; nil for none.
    init?(_ request: MatchRequest, within budget: DecodingBudget?) {
        guard request.method == "POST", let digest = request.bodyDigest, let content = request.content,
            let type = request.headers["Content-Type"], let tree = ContentTree(content, contentType: type)
        else { return nil }
        (self.digest, self.type, self.tree, time) = (digest, type, tree, request.time)
        comparisons = budget?.comparisons ?? ContentComparisons()
        mediaType = ContentTypeValue.parts(of: type).mediaType
    }

    /// The entries for one URL and one content.
    private struct CaptureGroup {
        let first: ArchiveEntry
        let time: ArchiveTime?
        let entries: [ArchiveEntry]
    }

    /// Returns the entries for the content that is most alike, of one URL; none if no content is alike.
    ///
    /// Their reading is charged to the comparisons. Content beyond their limits is not alike.
    ///
    /// - Throws: `damaged` or `io`.
    func mostAlike(of entries: [ArchiveEntry]) throws(ArchiveError) -> [ArchiveEntry] {
        guard !comparisons.budget.isUsedUp else { return [] }
        var best: (comparison: ContentComparison, group: CaptureGroup)?
        do throws(ArchiveError) {
            for group in try groups(of: entries.map { $0.limited(to: comparisons.budget) }).prefix(Self.limit) {
                guard let comparison = try compare(group.first), comparison.isAlike else { continue }
                if best.map({ comparison.isBetter(than: $0.comparison) }) ?? true { best = (comparison, group) }
            }
        } catch {
            guard comparisons.budget.isUsedUp else { throw error }
        }
        return best?.group.entries ?? []
    }

    /// Returns the entries by URL and content, in the order of their first captures.
    private func groups(of entries: [ArchiveEntry]) throws(ArchiveError) -> [CaptureGroup] {
        struct CaptureKey: Hashable {
            let url: [UInt8]
            let digest: ContentDigest
        }
        var (byKey, keys): ([CaptureKey: [ArchiveEntry]], [CaptureKey]) = ([:], [])
        for entry in entries where try entry.role.isServed {
            guard try entry.hasMethod("POST"), let digest = try entry.requestBody?.digest else { continue }
            let key = CaptureKey(url: try entry.keyBytes, digest: digest)
            if byKey[key] == nil { keys.append(key) }
            byKey[key, default: []].append(entry)
        }
        var groups: [CaptureGroup] = []
        for key in keys {
            let content = try (byKey[key] ?? []).withContent(at: time)
            guard let first = try content.captured(at: time) else { continue }
            groups.append(CaptureGroup(first: first, time: try first.time, entries: content))
        }
        // The order of equal times stays.
        let order = groups.indices.sorted { left, right in
            ArchiveTime.isPreferred(groups[left].time, to: groups[right].time, at: time)
                || !ArchiveTime.isPreferred(groups[right].time, to: groups[left].time, at: time) && left < right
        }
        return order.map { groups[$0] }
    }

    /// Compares the content of a stored request; nil if it is of a different type or shape.
    private func compare(_ entry: ArchiveEntry) throws(ArchiveError) -> ContentComparison? {
        guard let body = try entry.requestBody, body.length <= UInt64(MatchRequest.maximumContentLength),
            let storedType = try entry.request.headers["Content-Type"],
            ContentTypeValue.parts(of: storedType).mediaType == mediaType
        else { return nil }
        let pair = ContentComparisons.ComparedPair(
            digest: digest, type: type, body: body.identity, storedType: storedType)
        return try comparisons.comparison(of: tree, pair, with: body)
    }
}
