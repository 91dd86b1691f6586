// SPDX-License-Identifier: Apache-2.0

/// The variants of a URL by one rule or another. Specification section 8.5.
struct URLVariants {
    /// The rules and their parameters.
    let options: ArchiveMatcher.Options

    /// A URL and the rules that lead to it.
    struct Variant {
        /// The canonical URL.
        let url: CanonicalURL
        /// The rules that lead to it, the last one first.
        let rules: [MatchRule]
    }

    /// Returns the variant with the other of http and https; nil if it has none.
    ///
    /// Ignored parameters, which come between this rule and those of paths, are the caller's: they need the archive.
    func otherScheme(of variant: Variant) -> Variant? {
        guard options.uses(.otherScheme), let other = variant.url.otherScheme else { return nil }
        return Variant(url: other, rules: [.otherScheme] + variant.rules)
    }

    /// Returns the variants that differ in the path, the preferred one first.
    func otherPaths(of variant: Variant) -> [Variant] {
        guard variant.url.authority != nil else { return [] }
        var found = [variant]
        found += widened(found, by: .reservedCharacters) { $0.otherSpellings }
        found += widened(found, by: .emptySegments) { [$0.withoutEmptySegments].compactMap(\.self) }
        let files = found
        found += widened(files, by: .directoryIndex, directoryVariants)
        found += widened(files, by: .htmlExtension) { [$0.withHTMLExtension].compactMap(\.self) }
        return Array(found.dropFirst())
    }

    private func widened(
        _ variants: [Variant], by rule: MatchRule, _ others: (CanonicalURL) -> [CanonicalURL]
    ) -> [Variant] {
        guard options.uses(rule) else { return [] }
        return variants.flatMap { variant in
            others(variant.url).map { Variant(url: $0, rules: [rule] + variant.rules) }
        }
    }

    private func directoryVariants(_ url: CanonicalURL) -> [CanonicalURL] {
        let path = Array(url.path)
        let name = url.lastSegment
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

    /// Returns the URL of a request without its query; nil if it has none, or may not lose it.
    func withoutQuery(_ request: MatchRequest) -> Variant? {
        let url = request.url
        guard options.uses(.withoutQuery), url.query != nil, request.method == "GET" || request.method == "HEAD",
            let bare = try? CanonicalURL(utf8: Array(url.bytes[..<url.path.endIndex]))
        else { return nil }
        return Variant(url: bare, rules: [.withoutQuery])
    }

    /// Returns the kinds of parameters that are ignored, in the order of their rules.
    ///
    /// - Parameter method: the method of the request; those of recordings are ignored for a `GET`, `HEAD` or `POST` only.
    func ignoredKinds(_ method: String) -> [ParameterKind] {
        let hasRecordings = ["GET", "HEAD", "POST"].contains(method)
        return ParameterKind.allCases.filter { options.uses($0.rule) && (hasRecordings || $0 == .ignored) }
    }

    /// Returns whether these are the parameters of a query that are not ignored; stops at the first difference.
    func parameters(
        of query: ArraySlice<UInt8>, are wanted: [ArraySlice<UInt8>], upTo kind: ParameterKind
    ) -> Bool {
        var (rest, count) = (query, 0)
        while true {
            let parameter = rest.prefix { $0 != .ascii("&") }
            let own = self.kind(of: parameter, isWhole: parameter.count == query.count)
            if own.map({ $0 > kind }) ?? true {
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

    /// Returns the kind of a parameter by the rules in use; nil for one that is never ignored.
    ///
    /// - Parameter isWhole: whether it is the only parameter of the query.
    func kind(of parameter: ArraySlice<UInt8>, isWhole: Bool) -> ParameterKind? {
        let name = parameter.prefix { $0 != .ascii("=") }
        let isNamed =
            options.uses(.ignoredParameters)
            && options.ignoredParameters.contains { pattern in
                pattern.hasSuffix("*") ? name.starts(with: pattern.utf8.dropLast()) : name.elementsEqual(pattern.utf8)
            }
        if isNamed { return .ignored }
        guard let own = ParameterKind(parameter, isWhole: isWhole), options.uses(own.rule) else { return nil }
        return own
    }

    /// The endings of files whose content does not depend on a query.
    private static let fileEndings = Set(
        [".js", ".css", ".json", ".png", ".jpg", ".gif", ".mp4", ".webm", ".m3u8"].map { Array($0.utf8) })

    /// Returns whether the rule for files whose query does not count may respond to a request for this URL.
    func mayIgnoreQuery(of url: CanonicalURL, _ method: String) -> Bool {
        guard options.uses(.queryOfFile), method == "GET" || method == "HEAD", url.authority != nil else {
            return false
        }
        let name = url.lastSegment
        guard let dot = name.lastIndex(of: .ascii(".")) else { return false }
        return Self.fileEndings.contains(name[dot...].asciiLowercased)
    }
}
