// SPDX-License-Identifier: Apache-2.0

/// The URLs that a person may have meant: the path with a different ending, with or without a slash, in other case, or in a different directory.
extension NearMissSearch {
    private static let endings = ["", "/", ".html", ".htm", "/index.html", "/index.htm"].map { Array($0.utf8) }

    /// Returns the stored URLs that a person may have meant, the likeliest first. A query is left out.
    func otherSpellings() throws(ArchiveError) -> [String] {
        let paths = otherEndings
        var found: [String] = []
        for root in roots {
            for path in paths {
                guard let url = try? CanonicalURL(utf8: root + path), url != request.url, try isServed(url) else {
                    continue
                }
                found.append(url.description)
            }
        }
        guard found.isEmpty else { return Array(found.prefix(Self.limit)) }
        let wanted = Set((paths + [Array(request.url.path)]).map(\.asciiLowercased))
        for root in roots where found.isEmpty {
            found = try scan(root, for: wanted)
        }
        return found
    }

    /// The parts before the path, of the URL and of the one with the other of http and https.
    private var roots: [[UInt8]] { [request.url, request.url.otherScheme].compactMap { $0.map { Array($0.root) } } }

    /// The paths that differ after the name.
    private var otherEndings: [[UInt8]] {
        let path = Array(request.url.path)
        let lower = path.asciiLowercased
        let ending = Self.endings.filter { !$0.isEmpty && lower.reversed().starts(with: $0.reversed()) }.max {
            $0.count < $1.count
        }
        let stem = path.dropLast(ending?.count ?? 0)
        guard !stem.isEmpty else { return [] }
        return Self.endings.map { stem + $0 }.filter { $0 != path }
    }

    private func isServed(_ url: CanonicalURL) throws(ArchiveError) -> Bool {
        for entry in try CaptureList(of: url, in: archive).entries where try entry.role.isServed { return true }
        return false
    }

    /// Returns the URLs of an origin whose path is one of those wanted except for case; without any, those with the requested name.
    ///
    /// An exhausted budget ends the search, and keeps the results until then.
    private func scan(_ root: [UInt8], for wanted: Set<[UInt8]>) throws(ArchiveError) -> [String] {
        let name = request.url.lastSegment.asciiLowercased
        let own = request.url.bytes
        var (found, elsewhere): ([String], [String]) = ([], [])
        var left = archive.index.budget?.scanLength ?? .max
        do throws(ArchiveError) {
            try archive.forEachEntry(prefix: String(decoding: root, as: UTF8.self) + "/") {
                entry throws(ArchiveError) in
                left -= 1
                let key = try entry.keyBytes
                let path = key[root.count...].prefix { $0 != .ascii("?") }.asciiLowercased
                let isWanted = wanted.contains(path)
                let hasName = name.count > 1 && path.suffix(name.count + 1).elementsEqual([.ascii("/")] + name)
                if isWanted || hasName, key != own, try entry.role.isServed {
                    let text = String(untrusted: key)
                    if isWanted, found.last != text { found.append(text) }
                    if !isWanted, elsewhere.count < Self.limit, elsewhere.last != text { elsewhere.append(text) }
                }
                return left > 0 && found.count < Self.limit
            }
        } catch  where error.code == .limitExceeded {
            // A hint is worth a bounded search.
        }
        return found.isEmpty ? elsewhere : found
    }
}
