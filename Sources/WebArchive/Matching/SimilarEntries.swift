// SPDX-License-Identifier: Apache-2.0

/// The entries of URLs that differ from one only in their queries, by the rules that make them equal. Specification section 8.5.
struct SimilarEntries {
    /// The entries by the last kind of parameters that has to be ignored.
    private var byKind: [ParameterKind: [ArchiveEntry]] = [:]
    /// The entries of a file whose query does not count; none if it has more than two URLs.
    private(set) var ofFile: [ArchiveEntry] = []

    /// The maximum number of URLs of a file whose query does not count: beyond it, the query is what selects the content.
    private static let maximumFileCount = 2

    /// The entries whose URL is equal if parameters up to a kind are ignored.
    subscript(kind: ParameterKind) -> [ArchiveEntry] {
        // Those with fewer ignored parameters have been tried before, but need not have matched.
        ParameterKind.allCases.filter { $0 <= kind }.flatMap { byKind[$0] ?? [] }
    }

    /// Looks at up to 1,000 entries of the path of a URL, those first that begin with the same parameters.
    ///
    /// - Parameter parameters: the parameters of the URL's query.
    /// - Throws: `damaged` or `io`; `limitExceeded` beyond the archive's budget.
    init(
        of url: CanonicalURL, _ parameters: QueryParameters, _ method: String, _ variants: URLVariants,
        in archive: ArchiveReader
    ) throws(ArchiveError) {
        let (kinds, wanted) = (parameters.kinds, parameters.wanted)
        let isFile = variants.mayIgnoreQuery(of: url, method)
        let base = Array(url.bytes[..<url.path.endIndex])
        // A session ID may be at the end of the path, too.
        let bareBase = ParameterKind.pathWithoutSessionID(base[...]).map { Array($0) } ?? base
        var (looked, files) = (0, [] as [[UInt8]])

        func add(_ entry: ArchiveEntry, _ key: [UInt8]) throws(ArchiveError) {
            let path = key.prefix { $0 != .ascii("?") }
            let query = key.dropFirst(path.count + 1)
            let isOfPath = path.elementsEqual(base)
            for (kind, wanted) in zip(kinds, wanted) {
                try archive.index.budget?.take(QueryParameters.costOfByte * key.count)
                guard isOfPath || kind == .sessionID, variants.parameters(of: query, are: wanted, upTo: kind) else {
                    continue
                }
                byKind[kind, default: []].append(entry)
                break
            }
            guard isFile, isOfPath, files.count <= Self.maximumFileCount else { return }
            if !files.contains(key) { files.append(key) }
            if ParameterKind.functionNames(in: query) == parameters.functions { ofFile.append(entry) }
        }

        if isFile || wanted.contains([]), let bare = try? CanonicalURL(utf8: base) {
            for entry in try CaptureList(of: bare, in: archive).entries { try add(entry, base) }
        }
        // The parameter that is ignored is usually the last one: many other queries would hide the entry.
        let first = wanted.last?.first.flatMap {
            !$0.isEmpty && url.query?.starts(with: $0) == true ? Array($0) : nil
        }
        let start = base + [.ascii("?")]
        for prefix in [first.map { start + $0 }, start].compactMap(\.self) {
            try archive.forEachEntry(prefix: String(decoding: prefix, as: UTF8.self)) { entry throws(ArchiveError) in
                looked += 1
                let key = try entry.keyBytes
                let isKnown = prefix == start && first.map { key.dropFirst(start.count).starts(with: $0) } ?? false
                if !isKnown { try add(entry, key) }
                return looked < CaptureList.limit
            }
        }
        if files.count > Self.maximumFileCount { ofFile = [] }
        guard kinds.contains(.sessionID) else { return }
        if bareBase != base, let bare = try? CanonicalURL(utf8: bareBase) {
            for entry in try CaptureList(of: bare, in: archive).entries { try add(entry, bareBase) }
        }
        for prefix in [bareBase + [.ascii("?")], bareBase + [.ascii(";")]] where prefix != start {
            try archive.forEachEntry(prefix: String(decoding: prefix, as: UTF8.self)) { entry throws(ArchiveError) in
                looked += 1
                let key = try entry.keyBytes
                let path = key.prefix { $0 != .ascii("?") }
                let isSimilar = (ParameterKind.pathWithoutSessionID(path) ?? path).elementsEqual(bareBase)
                if isSimilar, !path.elementsEqual(base) { try add(entry, key) }
                return looked < CaptureList.limit
            }
        }
    }
}

extension [ArchiveEntry] {
    /// Returns the entries that may be the response to a request that differs: with a response that is content, and not 304 or an error of
    /// a server.
    ///
    /// A URL whose first capture states that there is no response has none: the others have been removed.
    func withContent(at time: ArchiveTime?) throws(ArchiveError) -> [ArchiveEntry] {
        var (isContent, hasRemoved): ([Bool], Bool) = ([], false)
        for entry in self {
            let status = try entry.outline?.status
            hasRemoved = hasRemoved || status == nil
            isContent.append(status.map { $0 != 304 && $0 < 500 } ?? false)
        }
        guard hasRemoved else { return zip(self, isContent).filter(\.1).map(\.0) }
        var (keys, byKey): ([[UInt8]], [[UInt8]: [ArchiveEntry]]) = ([], [:])
        for entry in self {
            keys.append(try entry.keyBytes)
            byKey[keys[keys.count - 1], default: []].append(entry)
        }
        var removed: Set<[UInt8]> = []
        for (key, captures) in byKey where try captures.captured(at: time)?.outline == nil { removed.insert(key) }
        return indices.filter { isContent[$0] && !removed.contains(keys[$0]) }.map { self[$0] }
    }
}
