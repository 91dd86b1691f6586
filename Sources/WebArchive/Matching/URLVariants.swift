// SPDX-License-Identifier: Apache-2.0

/// The URLs that stand for a URL by one rule or another. Specification section 8.5.
struct URLVariants {
    let options: ArchiveMatcher.Options

    /// A URL and the rules that lead to it.
    struct Variant {
        let url: CanonicalURL
        let rules: [MatchRule]
    }

    /// The URL itself and its variants by directory index and scheme, the preferred one first.
    ///
    /// Ignored parameters, which come between the two, are the caller's: they need the archive.
    func schemes(of variant: Variant) -> [Variant] {
        var variants = [variant]
        if options.uses(.otherScheme), let other = variant.url.otherScheme {
            variants.append(Variant(url: other, rules: [.otherScheme] + variant.rules))
        }
        return variants
    }

    func paths(of variant: Variant) -> [Variant] {
        guard options.uses(.directoryIndex) else { return [variant] }
        return [variant]
            + otherPaths(variant.url).map { Variant(url: $0, rules: [.directoryIndex] + variant.rules) }
    }

    private func otherPaths(_ url: CanonicalURL) -> [CanonicalURL] {
        let path = Array(url.path)
        guard url.authority != nil, let name = path.split(separator: .ascii("/"), omittingEmptySubsequences: false).last
        else { return [] }
        let folder = path.dropLast(name.count)
        let indexes = options.indexNames.map { Array($0.utf8) }
        let paths: [[UInt8]] =
            if name.isEmpty {
                indexes.map { path + $0 }
            } else if indexes.contains(Array(name)) {
                [Array(folder)]
            } else {
                [path + [.ascii("/")]] + indexes.map { path + [.ascii("/")] + $0 }
            }
        return paths.compactMap { url.replacingPath($0) }
    }

    /// The URL of a request without its query; nil if it has none, or may not lose it.
    func withoutQuery(_ request: MatchRequest) -> Variant? {
        let url = request.url
        guard options.uses(.withoutQuery), url.query != nil, request.method == "GET" || request.method == "HEAD",
            let bare = try? CanonicalURL(utf8: Array(url.bytes[..<url.path.endIndex]))
        else { return nil }
        return Variant(url: bare, rules: [.withoutQuery])
    }

    /// The query parameters of a URL that are not to be ignored; none where they come to an empty query.
    func parameters(of url: CanonicalURL) -> [ArraySlice<UInt8>] {
        let rest = (url.query ?? []).split(separator: .ascii("&"), omittingEmptySubsequences: false).filter {
            !isIgnored($0)
        }
        return rest == [[]] ? [] : rest
    }

    /// Whether the parameters of a query that are not to be ignored are these; ends with the first that is another one.
    func parameters(of query: ArraySlice<UInt8>, are wanted: [ArraySlice<UInt8>]) -> Bool {
        var (rest, count) = (query, 0)
        while true {
            let parameter = rest.prefix { $0 != .ascii("&") }
            if !isIgnored(parameter) {
                // A query of one empty parameter is as good as none.
                let isWanted =
                    count < wanted.count
                    ? parameter == wanted[count] : wanted.isEmpty && count == 0 && parameter.isEmpty
                guard isWanted else { return false }
                count += 1
            }
            guard parameter.endIndex < rest.endIndex else { return count == wanted.count || wanted.isEmpty }
            rest = rest[(parameter.endIndex + 1)...]
        }
    }

    private func isIgnored(_ parameter: ArraySlice<UInt8>) -> Bool {
        let name = parameter.prefix { $0 != .ascii("=") }
        return options.ignoredParameters.contains { pattern in
            pattern.hasSuffix("*") ? name.starts(with: pattern.utf8.dropLast()) : name.elementsEqual(pattern.utf8)
        }
    }
}

extension CanonicalURL {
    /// The same URL under `http` for `https`, and the reverse; nil for other schemes, and where a port says which is meant.
    var otherScheme: CanonicalURL? {
        guard port == nil else { return nil }
        let rest = bytes[scheme.endIndex...]
        if scheme.elementsEqual("http".utf8) { return try? CanonicalURL(utf8: Array("https".utf8) + rest) }
        if scheme.elementsEqual("https".utf8) { return try? CanonicalURL(utf8: Array("http".utf8) + rest) }
        return nil
    }

    fileprivate func replacingPath(_ path: [UInt8]) -> CanonicalURL? {
        try? CanonicalURL(utf8: root + path + bytes[self.path.endIndex...])
    }
}
