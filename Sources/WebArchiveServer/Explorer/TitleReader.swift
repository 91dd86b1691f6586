// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebArchiveReplay

/// A reader of the titles of pages for one request, which reads a limited amount of content, and caches its results.
///
/// Blocks of the archive are decoded as a whole, so that a title costs as much as the blocks with the beginning of its page. A block
/// that pages share, and dictionaries, are decoded once as long as they are used often.
///
/// It is for one thread.
final class TitleReader {
    /// The cache, which all requests share.
    private let cache: TitleCache
    /// The responder whose archives are searched, by which the cache distinguishes sites.
    private let responder: ReplayResponder
    private var left: Limits
    /// The shared blocks and dictionaries that the archive has in memory.
    private var decoded = RecentValues<KeptBlock, Void>(capacity: 8)

    /// The limits of reading for one request.
    struct Limits {
        /// The number of bytes that may still be decoded: about a second of work.
        var decoded = 512 << 20
        /// The number of bytes of documents that may still be scanned: less than a second of work for hostile pages, and enough for the titles of
        /// some ten thousand usual pages.
        var scanned = 16 << 20
        /// The number of titles that may still be read.
        var titles = 100_000
    }

    /// A block that the archive keeps in memory after it was decoded.
    private struct KeptBlock: Hashable {
        let layer: Int
        /// The number of the block in that layer.
        let number: UInt64
    }

    /// - Parameter limits: the limits of the request; those of a search by default.
    init(_ cache: TitleCache, _ responder: ReplayResponder, limits: Limits = Limits()) {
        (self.cache, self.responder, left) = (cache, responder, limits)
    }

    /// Returns whether an entry is a page: HTML or XHTML, and not a redirect.
    private func isPage(_ entry: ArchiveEntry) -> Bool {
        guard let outline = try? entry.outline, !outline.isRedirect else { return false }
        return ["text/html", "application/xhtml+xml"].contains(outline.mediaType)
    }

    /// The outcome of reading a title.
    enum Outcome: Equatable {
        case title(String)
        /// The entry is not a page, its page has no title, or cannot be read.
        case absent
        /// The title was not read, because the limit is reached.
        case unread

        /// The title; nil if it is absent or unread.
        var text: String? { if case .title(let text) = self { text } else { nil } }
    }

    /// Reads a title, from the cache if it has it; a page that may cost more than the limit is not read.
    ///
    /// A title that could not be read is kept as absent, so that a damaged page costs its reading once.
    ///
    /// - Parameter id: the identifier of the entry, for its layer.
    func title(of entry: ArchiveEntry, _ id: EntryID) -> Outcome {
        guard isPage(entry), let body = try? entry.body, body.length > 0 else { return .absent }
        let key = TitleCache.Key(layer: id.layer, body: body.number)
        if let known = cache.title(key, responder) { return known.isEmpty ? .absent : .title(known) }
        let count = min(body.length, UInt64(PageTitle.maximumScannedLength))
        guard left.titles > 0, Int(count) <= left.scanned else { return .unread }
        left.titles -= 1
        guard let cost = try? body.costOfBeginning(count) else { return .absent }
        guard takeDecoding(cost, id.layer) else { return .unread }
        let title = try? read(body, count, entry)
        cache.keep(title ?? "", key, responder)
        return title.map { .title($0) } ?? .absent
    }

    /// Returns whether the limit allows the cost of reading.
    ///
    /// It charges the cost at once. A block that an earlier title of the request decoded is not charged again, as long
    /// as it is among the recent ones.
    private func takeDecoding(_ cost: ArchiveBody.BeginningCost, _ layer: Int) -> Bool {
        let new = cost.kept.filter { decoded[KeptBlock(layer: layer, number: $0.number)] == nil }
        let length = new.reduce(cost.length) { $0 + $1.length }
        guard length <= left.decoded else { return false }
        left.decoded -= length
        for block in new { decoded[KeptBlock(layer: layer, number: block.number)] = () }
        return true
    }

    /// Reads the beginning of a document, and charges the bytes that were scanned.
    ///
    /// - Returns: the title; nil if the page has none.
    private func read(_ body: ArchiveBody, _ count: UInt64, _ entry: ArchiveEntry) throws(ArchiveError) -> String? {
        let look = PageTitle.look(in: try body.bytes(in: 0..<count), charset: { try? entry.response?.charset })
        left.scanned -= look.scanned
        return look.title
    }
}
