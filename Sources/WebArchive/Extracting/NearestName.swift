// SPDX-License-Identifier: Apache-2.0

/// A search for the part of a URL that is nearest to a pattern or a prefix without matches.
struct NearestName {
    private let wanted: String
    /// The number of names of a path that are compared; nil for the prefix of the whole URL, 0 for each single name.
    private let depth: Int?
    private var seen: Set<String> = []
    private var best: (distance: Int, name: String)?

    /// The maximum number of different names that are compared: an archive may have any number.
    private static let limit = 2000

    init(to pattern: GlobPattern) {
        let names = pattern.literalBeginning
        depth = pattern.isForWholeURL ? nil : pattern.isAnchored ? names.count : 0
        wanted = pattern.isForWholeURL || pattern.isAnchored ? names.joined(separator: "/") : pattern.literalText
    }

    init(toPrefix prefix: String) {
        depth = nil
        wanted = prefix
    }

    /// The nearest name so far; nil if none is similar.
    var name: String? {
        // More differences than half of the letters are not typing errors.
        best.flatMap { $0.distance * 2 <= max(wanted.utf8.count, 2) ? $0.name : nil }
    }

    /// Compares a URL. Returns false once enough have been compared.
    mutating func look(at url: CanonicalURL) -> Bool {
        guard let depth else {
            // The text after the end of the prefix is not a typing error.
            look(at: String(untrusted: url.bytes.prefix(wanted.utf8.count)), shown: url.description)
            return seen.count < Self.limit
        }
        let names = url.path.split(separator: UInt8(ascii: "/")).map { String(untrusted: $0) }
        if depth > 0 {
            let beginning = names.prefix(depth).joined(separator: "/")
            look(at: beginning, shown: "/" + beginning)
        } else {
            for name in names { look(at: name, shown: name) }
        }
        return seen.count < Self.limit
    }

    private mutating func look(at name: String, shown: String) {
        guard seen.insert(name).inserted else { return }
        let distance = EditDistance.between(wanted, name)
        if distance < best?.distance ?? .max { best = (distance, shown) }
    }
}
