// SPDX-License-Identifier: Apache-2.0

/// An absolute URL in the one spelling that the archive format compares, sorts and looks up. Specification section 8.1.
///
/// The form is RFC 3986's syntax-based and scheme-based normalisation (sections 6.2.2 and 6.2.3) with the URL
/// standard's tolerance for stray spaces and line breaks; the fragment is dropped. Canonicalising a canonical URL
/// changes nothing. Order and equality are those of the bytes.
///
/// ```swift
/// let url = try CanonicalURL("HTTPS://Example.org:443/a/../%7Ebob#top")
/// print(url)  // https://example.org/~bob
/// ```
public struct CanonicalURL: Sendable {
    /// The maximum length of a text and of a canonical form: 65,535 bytes. Specification section 10.
    public static let maximumLength = 65_535

    /// The canonical text; ASCII only, at most ``maximumLength`` bytes.
    public let bytes: [UInt8]

    /// Canonicalises a URL given as text.
    ///
    /// - Parameter text: an absolute URL; characters that are not ASCII are percent-encoded as UTF-8, except in a host, which must
    ///   be an A-label.
    /// - Throws: ``InvalidURL`` if the text has no canonical form.
    /// - Complexity: O(n).
    public init(_ text: String) throws(InvalidURL) {
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
        try self.init(utf8: Array(text.utf8))
    }

    /// Canonicalises a URL given as bytes, which need not be UTF-8.
    ///
    /// Usual http and https URLs that are canonical already are taken without a copy.
    ///
    /// - Parameter text: an absolute URL; surrounding bytes up to 0x20, and TAB, LF and CR anywhere, are left out.
    /// - Throws: ``InvalidURL`` if the bytes have no canonical form.
    /// - Complexity: O(n).
    public init(utf8 text: [UInt8]) throws(InvalidURL) {
        bytes = CanonicalForm.isEvident(text) ? text : try CanonicalForm.bytes(of: URLReference(text))
    }

    /// Canonicalises a URL given as memory, which is copied.
    ///
    /// - Throws: ``InvalidURL`` if the bytes have no canonical form.
    package init(utf8 text: UnsafeRawBufferPointer) throws(InvalidURL) {
        guard text.count <= Self.maximumLength else { throw .tooLong }
        try self.init(utf8: Array(text))
    }

    /// Canonicalises a URL from its parts, which need not be normalised.
    ///
    /// - Throws: ``InvalidURL``.
    init(_ parts: URLReference) throws(InvalidURL) {
        bytes = try CanonicalForm.bytes(of: parts)
    }

    /// Returns whether `text` is a URL in canonical form, as the URLs stored in an archive must be.
    ///
    /// Usual http and https URLs cost one pass over their bytes, and no memory.
    public static func isCanonical(utf8 text: [UInt8]) -> Bool {
        if CanonicalForm.isEvident(text) { return true }
        guard let url = try? CanonicalURL(utf8: text) else { return false }
        return url.bytes == text
    }
}

extension CanonicalURL: Hashable {
    /// Hashes the bytes as one block.
    public func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension CanonicalURL: Comparable {
    /// Compares bytewise; a URL is before those that it is a prefix of. The keys of an archive are in this order
    /// (specification section 8.2).
    public static func < (left: CanonicalURL, right: CanonicalURL) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension CanonicalURL: CustomStringConvertible {
    /// The canonical text. It costs a copy of the bytes.
    public var description: String {
        String(decoding: bytes, as: UTF8.self)
    }
}
