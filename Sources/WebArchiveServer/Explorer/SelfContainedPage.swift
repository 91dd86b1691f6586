// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import NIOCore
import WebArchive
import WebArchivePresentation
import WebArchiveReplay

/// A page with embedded style sheets and pictures, so that a preview shows them and still opens no connection.
///
/// The policy of a preview refuses all loads, but not the connections that browsers open ahead of some: the elements that lead to these
/// are left out (``InertMarkup``).
///
/// The inserted text is ASCII, in any encoding of the page.
struct SelfContainedPage {
    /// The responder, from which resources are read as a browser would get them.
    private let responder: ReplayResponder
    /// The page, whose encoding is a superset of ASCII after the change by ``InertMarkup``.
    private let page: [UInt8]
    /// The URL against which addresses are resolved: that of the page, until a `base` changes it (HTML standard,
    /// section "The base element").
    private var base: CanonicalURL
    /// The style sheets so far, with their limits for the whole page.
    private var sheets = StyleSheetText()
    /// The number of pictures that may still be embedded.
    private var picturesLeft = Self.maximumPictureCount
    /// The length of pictures that may still be embedded, in bytes, before their encoding in Base64.
    private var bytesLeft = Self.maximumPicturesLength
    /// The number of addresses that may still be resolved.
    private var addressesLeft = 2000

    /// The maximum number of embedded pictures of one page, and their length in bytes: of each, and of all.
    private static let maximumPictureCount = 100
    /// The maximum length of one picture, in bytes.
    private static let maximumPictureLength: UInt64 = 1 << 20
    /// The maximum length of all pictures together, in bytes.
    private static let maximumPicturesLength = 8 << 20
    /// The maximum length of an address, and of the base before each, in bytes.
    private static let maximumAddressLength = 2048

    /// Nothing is read before ``bytes()``.
    ///
    /// - Parameter url: the URL of the page, for the links in it.
    init(_ page: [UInt8], at url: CanonicalURL, from responder: ReplayResponder) {
        (self.page, base, self.responder) = (InertMarkup.unambiguous(page), url, responder)
    }

    /// Returns the page. A picture that cannot be read does not change, and so is not shown.
    ///
    /// It takes time in proportion to the page and the resources in it, which are limited. Call it once: the limits are
    /// used up by it.
    mutating func bytes() -> [UInt8] {
        var result: [UInt8] = []
        var copied = 0
        var hasBase = false
        var scanner = HTMLTagScanner(page)
        while let tag = scanner.next() {
            if tag.isOf("base"), !tag.isEnd, !hasBase, let target = address(tag.value("href")) {
                (base, hasBase) = (target, true)
            }
            guard let (range, text) = replacement(of: tag) else { continue }
            result += page[copied..<range.lowerBound]
            result += text.utf8
            copied = range.upperBound
        }
        return InertMarkup.escaped(result + page[copied...])
    }

    /// Returns the range of a tag or an attribute, and the text to be put in its place; nil for a tag that stays.
    ///
    /// A style sheet becomes a `style` element, and a picture a `data:` URL. Tags that would load anything else, and
    /// those that change the policy, are removed.
    private mutating func replacement(of tag: HTMLTagScanner.Tag) -> (Range<Int>, String)? {
        guard !tag.isEnd else { return nil }
        switch tag.name {
        case "link":
            let words = text(tag.value("rel")).asciiLowercased.split(separator: " ")
            guard words.contains("stylesheet"), !words.contains("alternate"), tag.value("disabled") == nil,
                let url = address(tag.value("href")), let sheet = sheets.text(of: url, from: responder)
            else { return (tag.range, "") }
            let media = tag.value("media").map { " media=\"\(HTMLText.escaped(text($0)))\"" } ?? ""
            return (tag.range, "<style\(media)>\(sheet)</style>")
        case "style":
            guard let range = tag.text,
                let sheet = sheets.importing(String(decoding: page[range], as: UTF8.self), at: base, from: responder)
            else { return nil }
            return (range, sheet)
        case "img":
            guard picturesLeft > 0, let place = tag.value("src"), !place.isEmpty, let url = address(place),
                let picture = picture(url)
            else { return nil }
            return (place, picture)
        // The page's own policy would refuse the inserted content. The encoding counts.
        case "meta" where tag.value("http-equiv") != nil:
            return text(tag.value("http-equiv")).asciiLowercased == "content-type" ? nil : (tag.range, "")
        // With the fallback text for browsers without frames.
        case let name where InertMarkup.elements.contains(name):
            return (tag.range.lowerBound..<(tag.text ?? tag.range).upperBound, "")
        default: return nil
        }
    }

    /// Returns the text of an attribute with resolved references; empty without the attribute.
    private func text(_ range: Range<Int>?) -> String {
        range.map { CharacterReferences.decoded(String(decoding: page[$0], as: UTF8.self)) } ?? ""
    }

    /// Returns the URL of an address, and counts it; nil beyond the limits, and for a text that is not a URL.
    private mutating func address(_ range: Range<Int>?) -> CanonicalURL? {
        guard let range, range.count <= Self.maximumAddressLength, addressesLeft > 0 else { return nil }
        addressesLeft -= 1
        guard base.bytes.count <= Self.maximumAddressLength else { return nil }
        return try? base.resolving(text(range))
    }

    /// Returns a picture as a `data:` URL (RFC 2397), and counts it; nil if the archives have no image for the URL, or
    /// beyond the limits.
    private mutating func picture(_ url: CanonicalURL) -> String? {
        guard picturesLeft > 0 else { return nil }
        picturesLeft -= 1
        guard let (type, bytes) = ArchivedResource.read(url, from: responder, atMost: Self.maximumPictureLength),
            type.hasPrefix("image/"), FieldText.isToken(type.dropFirst(6).utf8), bytes.count <= bytesLeft
        else { return nil }
        bytesLeft -= bytes.count
        // The text is in an attribute that may have no quotation marks.
        return "data:\(type);base64,\(Data(bytes).base64EncodedString().prefix { $0 != "=" })"
    }
}

/// The content of archives for a URL.
enum ArchivedResource {
    /// Reads the content; nil if there is none, if it is unreadable, or longer than `limit` bytes.
    ///
    /// Up to four redirects are followed.
    ///
    /// - Returns: the media type without parameters, empty if the response has none, and the content without codings.
    static func read(
        _ url: CanonicalURL, from responder: ReplayResponder, atMost limit: UInt64
    ) -> (type: String, bytes: [UInt8])? {
        var url = url
        for _ in 0..<5 {
            guard url.host != nil else { return nil }
            // A resource that takes long to find is left out: a page may name a hundred such.
            guard let response = responder.respondQuickly(to: ReplayRequest(url.description, headerFields: [:])) else {
                return nil
            }
            if response.head.status.kind == .redirection, let location = response.head.headerFields[.location],
                let target = try? url.resolving(location)
            {
                url = target
                continue
            }
            guard response.head.status == .ok,
                (response.head.headerFields[.contentLength].flatMap { UInt64($0) } ?? .max) <= limit
            else { return nil }
            var reader = ContentReader(response)
            var bytes: [UInt8] = []
            while let chunk = try? reader.next(ByteBufferAllocator()) { bytes += chunk.readableBytesView }
            guard reader.isAtEnd else { return nil }
            let type = response.head.headerFields[.contentType].flatMap { ContentTypeValue.parts(of: $0).mediaType }
            return (type ?? "", bytes)
        }
        return nil
    }
}
