// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveReplay

/// The chain of redirects from an entry, as a browser would follow it through the archives.
struct RedirectChain: Sendable {
    /// A step of the chain: the target of a redirect.
    struct Hop: Sendable {
        /// The canonical URL; for a target that is not a URL, its text.
        let url: String
        /// The identifier; nil if no archive has the URL.
        let id: EntryID?
        /// The status of the response; nil if there is none.
        let status: Int?
    }

    /// The end of a chain.
    enum End: String, Sendable, CaseIterable {
        /// A response that is not a redirect.
        case responded
        /// A URL that no archive has.
        case missing
        /// A URL that has occurred before.
        case loop
        /// More redirects than browsers follow.
        case tooLong
        /// A text that is not a URL.
        case invalid
    }

    /// The steps in their order, at most 20; the entry at which the chain begins is none of them.
    private(set) var hops: [Hop] = []
    let end: End

    /// The maximum length of a chain (Fetch standard, section 4.4: 20 redirects are followed).
    private static let maximumLength = 20

    /// Follows the redirects from an entry; nil if the entry is not a redirect. Throws `damaged` or `io`.
    ///
    /// It takes one search for each step in each layer.
    init?(from entry: ArchiveEntry, in site: ReplaySite) throws(ArchiveError) {
        guard var target = try entry.redirectTarget else { return nil }
        var seen: Set<[UInt8]> = [try entry.keyBytes]
        while hops.count < Self.maximumLength {
            guard let url = try? CanonicalURL(target) else {
                hops.append(Hop(url: target, id: nil, status: nil))
                end = .invalid
                return
            }
            let found = try Self.find(url, in: site)
            let outline = try found?.entry.outline
            hops.append(
                Hop(url: url.description, id: found.map { EntryID(layer: $0.layer, $0.entry) }, status: outline?.status)
            )
            guard seen.insert(url.bytes).inserted else {
                end = .loop
                return
            }
            guard let found, outline != nil else {
                end = .missing
                return
            }
            guard let next = try found.entry.redirectTarget else {
                end = .responded
                return
            }
            target = next
        }
        end = .tooLong
    }

    /// Returns the newest entry of a URL in the first layer that has a response for it.
    private static func find(
        _ url: CanonicalURL, in site: ReplaySite
    ) throws(ArchiveError) -> (layer: Int, entry: ArchiveEntry)? {
        for (number, layer) in site.layers.enumerated() {
            if let entry = try layer.entry(for: url), try entry.kind != nil { return (number, entry) }
        }
        return nil
    }

    /// The steps as objects `Redirect` of ``ExplorerSchemas``.
    var json: JSONValue {
        .array(
            hops.map { hop in
                ["url": .string(hop.url), "id": .text(hop.id?.description), "status": .number(hop.status)]
            })
    }

    /// The list of steps with links to their entries, and a sentence on the end.
    var html: String {
        let items = hops.map { hop in
            let url = ArchivedText.html(hop.url)
            let link = hop.id.map { QueryFields.link("/-/entry", ["entry": $0.description]) }
            let text = link.map { "<a href=\"\($0)\">\(url)</a>" } ?? url
            return "<li>\(text)\(hop.status.map { " <small>\($0)</small>" } ?? "")</li>\n"
        }
        return "<ol>\n\(items.joined())</ol>\n<p>\(ending)</p>\n"
    }

    /// The sentence on the end of the chain.
    private var ending: String {
        switch end {
        case .responded: "The last URL has a response."
        case .missing: "The last URL is in no archive."
        case .loop: "The last URL repeats an earlier one: a loop."
        case .tooLong: "Too many redirects: browsers stop here."
        case .invalid: "The last target is not a URL."
        }
    }
}
