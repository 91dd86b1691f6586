// SPDX-License-Identifier: Apache-2.0

extension CanonicalURL {
    /// Resolves a reference found in the document at this URL (RFC 3986 section 5.2, the strict algorithm).
    ///
    /// The result is the canonical form of the target. A reference with a scheme is a URL of its own, so an opaque one
    /// keeps its dots. Where this URL has no authority and the target's path would begin with "//", "/." is put before
    /// it, lest the path be read as an authority.
    ///
    /// ```swift
    /// let page = try CanonicalURL("https://notes.example/2024/start")
    /// print(try page.resolving("../logo.png"))  // https://notes.example/logo.png
    /// ```
    ///
    /// - Parameter reference: at most ``maximumLength`` bytes; an empty one resolves to this URL.
    /// - Returns: an absolute URL, without the reference's fragment.
    /// - Throws: ``InvalidURL`` if the reference or the target is too long, or the target has no canonical form.
    public func resolving(_ reference: String) throws(InvalidURL) -> CanonicalURL {
        guard reference.utf8.count <= Self.maximumLength else { throw .tooLong }
        return try resolving(utf8: Array(reference.utf8))
    }

    /// Resolves a reference given as bytes, which need not be UTF-8; see ``resolving(_:)-(String)``.
    ///
    /// - Parameter reference: at most ``maximumLength`` bytes.
    /// - Throws: ``InvalidURL`` if the reference or the target is too long, or the target has no canonical form.
    public func resolving(utf8 reference: [UInt8]) throws(InvalidURL) -> CanonicalURL {
        var target = try URLReference(reference)
        if target.scheme != nil { return try CanonicalURL(target) }
        target.scheme = scheme
        if target.authority == nil {
            target.authority = authority
            if target.path.isEmpty {
                target.path = path
                target.query = target.query ?? query
            } else {
                target.path = merged(target.path)
            }
        }
        return try CanonicalURL(target)
    }

    /// Returns the path of a relative reference with the directory of this URL's path before it (RFC 3986 section 5.2.3).
    private func merged(_ relative: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var merged: [UInt8] = []
        if relative.first != .ascii("/") {
            if authority != nil, path.isEmpty {
                merged.append(.ascii("/"))
            } else if let slash = path.lastIndex(of: .ascii("/")) {
                merged.append(contentsOf: path[...slash])
            }
        }
        PercentEncoding.appendNormalized(relative, to: &merged)
        // With an authority the canonical form removes the dot segments.
        guard authority == nil else { return merged[...] }
        DotSegments.remove(from: &merged, at: 0)
        if merged.starts(with: "//".utf8) { merged.insert(contentsOf: "/.".utf8, at: 0) }
        return merged[...]
    }
}
