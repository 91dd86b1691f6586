// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveReplay

/// A reader of the titles of pages for one request, which reads a limited amount of content, and remembers what it has read in a cache.
///
/// A block of the archive is decoded as a whole, so that a title costs as much as the block in which its page begins, unless that
/// is the one of the title before.
final class TitleReader {
    private let cache: TitleCache
    private let responder: ReplayResponder
    /// Bytes that may still be decoded, and titles that may be read.
    private var (bytesLeft, titlesLeft): (Int, Int)
    private var lastBlock: (layer: Int, number: UInt64)?

    /// The limit of what one request decodes, in bytes: a second or two of work.
    static let usualBudget = 1 << 30
    /// Titles that one request reads: each may need a dictionary of its own.
    private static let mostTitles = 100_000

    init(_ cache: TitleCache, _ responder: ReplayResponder, budget: Int = usualBudget) {
        (self.cache, self.responder) = (cache, responder)
        (bytesLeft, titlesLeft) = (budget, Self.mostTitles)
    }

    private func isPage(_ entry: ArchiveEntry) -> Bool {
        guard let outline = try? entry.outline, !outline.isRedirect else { return false }
        return ["text/html", "application/xhtml+xml"].contains(outline.mediaType)
    }

    /// The outcome of reading a title.
    enum Outcome: Equatable {
        case title(String)
        /// The entry is no page, its page has no title, or cannot be read.
        case absent
        /// It was not read, for the limit is reached.
        case unread

        var text: String? { if case .title(let text) = self { text } else { nil } }
    }

    /// Reads a title, from the cache where it is there; a page whose block is too long for what is left is not read.
    func title(of entry: ArchiveEntry, _ id: EntryID) -> Outcome {
        guard isPage(entry), let body = try? entry.body, body.length > 0 else { return .absent }
        let key = TitleCache.Key(layer: id.layer, body: body.number)
        if let known = cache.title(key, responder) { return known.isEmpty ? .absent : .title(known) }
        guard let block = try? body.firstBlock else { return .absent }
        let isDecoded = lastBlock.map { $0 == (id.layer, block.number) } ?? false
        let cost = isDecoded ? 0 : block.length
        guard titlesLeft > 0, cost <= bytesLeft else { return .unread }
        titlesLeft -= 1
        bytesLeft -= cost
        lastBlock = (id.layer, block.number)
        let title = try? Self.read(body, entry)
        cache.keep(title ?? "", key, responder)
        return title.map { .title($0) } ?? .absent
    }

    private static func read(_ body: ArchiveBody, _ entry: ArchiveEntry) throws(ArchiveError) -> String? {
        let bytes = try body.bytes(in: 0..<min(body.length, UInt64(PageTitle.longestLook)))
        return PageTitle.title(in: bytes, charset: { try? entry.response?.charset })
    }
}
