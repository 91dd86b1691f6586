// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The URLs of a crawl in the order of a breadth-first walk, which the order in which pages end does not change.
///
/// It is not stored: the same seeds, and the links of finished pages, give the same frontier again.
struct CrawlFrontier {
    /// A page of the walk.
    struct Item: Hashable, Sendable {
        let url: CanonicalURL
        /// The number of links from a seed.
        let depth: Int
        /// The number of links by which it is outside the scope.
        let hops: Int

        var isSeed: Bool { depth == 0 }
    }

    private let scope: CrawlScope
    /// The maximum numbers of URLs, and of queries for one path with the same names of parameters.
    private let maximumCount, maximumVariants: Int
    /// The number of bytes of the URLs: a site may name any number of long ones.
    private var length = 0
    private let maximumLength: Int
    private(set) var items: [Item] = []
    private var known: Set<[UInt8]> = []
    private var refused: Set<[UInt8]> = []
    private var variants: [[UInt8]: Int] = [:]
    /// The links of finished items that wait for those of items before them.
    private var links: [Int: [String]] = [:]
    private var numbers: [CanonicalURL: Int] = [:]
    /// The number of items whose links are among the items.
    private var expanded = 0
    /// The number of items that were given out.
    private var dispatched = 0
    /// The number of items that are finished.
    private(set) var finishedCount = 0
    /// The URLs that are not visited, by the reason; of each reason only some.
    private(set) var skipped = SkippedURLs()

    init(
        _ scope: CrawlScope, maximumCount: Int = 1 << 22, maximumVariants: Int = 5_000, maximumLength: Int = 256 << 20
    ) {
        (self.scope, self.maximumCount, self.maximumVariants) = (scope, maximumCount, maximumVariants)
        self.maximumLength = maximumLength
        for seed in scope.seeds { add(seed, depth: 0, hops: 0) }
    }

    /// The number of items that were not given out yet.
    var waitingCount: Int { items.count - dispatched }
    /// Whether each item is finished.
    var isDone: Bool { finishedCount == items.count }

    /// Returns the next item, and gives it out; nil if there is none, now or at all.
    mutating func next() -> Item? {
        guard dispatched < items.count else { return nil }
        defer { dispatched += 1 }
        return items[dispatched]
    }

    /// Takes the links of an item that has ended, in the order of its document.
    mutating func finish(_ item: Item, links found: [String]) {
        guard let number = numbers.removeValue(forKey: item.url) else { return }
        finishedCount += 1
        links[number] = found
        while let found = links.removeValue(forKey: expanded) {
            let parent = items[expanded]
            expanded += 1
            for link in found { add(link, from: parent) }
        }
    }

    /// Adds pages that no link leads to, such as those of a sitemap, as if seeds linked to them.
    mutating func add(listed urls: [String]) {
        for text in urls {
            guard let url = try? CanonicalURL(text) else { continue }
            decide(url, depth: min(1, scope.maximumDepth ?? 1), hops: 0)
        }
    }

    /// Notes that an item is not visited.
    mutating func skip(_ item: Item, _ reason: SkipReason) {
        skipped.add(item.url, reason)
        finish(item, links: [])
    }

    /// Notes that all items that were not given out are not visited.
    mutating func skipWaiting(_ reason: SkipReason) {
        for item in items[dispatched...] { skipped.add(item.url, reason) }
        dispatched = items.count
    }

    private mutating func add(_ link: String, from parent: Item) {
        guard let url = try? CanonicalURL(link) else { return }
        decide(url, depth: parent.depth + 1, hops: parent.hops)
    }

    private mutating func decide(_ url: CanonicalURL, depth: Int, hops: Int) {
        let identity = CrawlTrap.identity(url)
        guard !known.contains(identity) else { return }
        // With hops, a page outside the scope may be linked from nearer ones later.
        let isRefused = refused.contains(identity)
        if isRefused, scope.extraHops == 0 { return }
        switch scope.decision(url, depth: depth, hops: hops) {
        case .visit(let hops):
            if refused.remove(identity) != nil { skipped.remove(url, .outOfScope) }
            add(url, depth: depth, hops: hops)
        case .skip(let reason):
            guard !isRefused, known.count + refused.count < maximumCount, length < maximumLength else { return }
            length += identity.count
            refused.insert(identity)
            skipped.add(url, reason)
        }
    }

    private mutating func add(_ url: CanonicalURL, depth: Int, hops: Int) {
        guard known.count < maximumCount, length < maximumLength else { return skipped.add(url, .tooMany) }
        let identity = CrawlTrap.identity(url)
        guard known.insert(identity).inserted else { return }
        if let form = CrawlTrap.form(identity) {
            let count = variants[form, default: 0] + 1
            guard count <= maximumVariants else { return skipped.add(url, .variants) }
            variants[form] = count
        }
        length += identity.count
        numbers[url] = items.count
        items.append(Item(url: url, depth: depth, hops: hops))
    }
}
