// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import WebArchive
import WebArchiveReplay

/// A preview of the stored body of an entry: without script, without origin, and without external resources.
///
/// No body is sent in a form that a browser would open as a document: a policy refuses loads, but not the connections that an
/// archived document initiates. A page is shown as its text, or in the form of ``SelfContainedPage``. A picture in XML (SVG)
/// is offered for saving; image elements, in which it loads nothing, still show it.
struct ContentPreview {
    /// The form in which a body is previewed.
    enum Form: Equatable {
        /// Media for an element of the page: `img`, `audio` or `video`.
        case image, audio, video
        /// A document in a frame.
        case document
        /// A file for saving only.
        case file
    }

    /// The maximum length of a document that is shown at once, in bytes.
    static let maximumDocumentLength: UInt64 = 4 << 20

    /// The form, by the media type alone: the content is not examined.
    let form: Form
    /// Whether a document is a page, which is shown with its styles and pictures.
    let isPage: Bool
    /// Whether a browser that navigates to the content saves it.
    let isSaved: Bool
    /// The type of the stored body.
    private let contentType: String
    /// The parameter of a page's media type, or empty.
    private let charset: String

    /// The policy of the content wherever it is opened: `sandbox` removes its origin and its scripts.
    private static let policy = """
        sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'
        """

    /// Creates the preview of content of a media type.
    ///
    /// - Parameters:
    ///   - mediaType: the media type of the archive.
    ///   - charset: the charset of the archive; left out unless it is a plain label.
    init(mediaType: String?, charset: String?) {
        let type = mediaType?.asciiLowercased ?? ""
        let parts = type.split(separator: "/", omittingEmptySubsequences: false)
        let isType = parts.count == 2 && parts.allSatisfy(Self.isLabel)
        isPage = type == "text/html"
        let label = charset.flatMap { Self.isLabel($0[...]) ? "; charset=\($0)" : nil } ?? ""
        switch isType ? parts[0] : "" {
        case "image": (form, contentType) = (.image, type)
        case "audio": (form, contentType) = (.audio, type)
        case "video": (form, contentType) = (.video, type)
        case "font": (form, contentType) = (.file, type)
        case "text": (form, contentType) = (.document, "text/plain" + label)
        case "application" where Self.isText(parts[1]):
            (form, contentType) = (.document, "text/plain" + (label.isEmpty ? "; charset=utf-8" : label))
        default: (form, contentType) = (.file, "application/octet-stream")
        }
        self.charset = label
        isSaved = form == .file || form != .document && parts.last?.hasSuffix("xml") == true
    }

    /// Returns whether a subtype of `application` is text that can be shown: JSON, scripts, XML, and types with the
    /// suffixes of RFC 6839.
    private static func isText(_ subtype: Substring) -> Bool {
        ["json", "javascript", "xml", "ecmascript"].contains(subtype) || subtype.hasSuffix("+json")
            || subtype.hasSuffix("+xml")
    }

    /// Returns whether text is a token of a usual length.
    private static func isLabel(_ text: Substring) -> Bool { text.utf8.count <= 100 && FieldText.isToken(text.utf8) }

    /// Responds with the body.
    ///
    /// A range that is well formed is honoured unless there is an `If-Range` field. The content is read as it is sent.
    ///
    /// - Parameter head: the head of the request; players seek in a film by ranges.
    func response(_ body: ArchiveBody, to head: HTTPRequest) -> ReplayResponse {
        var fields = fields(contentType, length: body.length)
        fields[.acceptRanges] = "bytes"
        if isSaved { fields[.contentDisposition] = "attachment" }
        let isHead = head.method == .head
        // There is no validator that If-Range could name.
        if !isHead, body.length > 0, head.headerFields[.ifRange] == nil,
            let range = head.headerFields[.range].flatMap(RangeField.init)
        {
            return RangeResponse(fields: fields, body: body) { .body(body, $0) }.response(range.ranges(in: body.length))
        }
        return ReplayResponse(
            HTTPResponse(status: .ok, headerFields: fields),
            isHead || body.length == 0 ? [] : [.body(body, 0..<body.length)], outcome: .own)
    }

    /// Returns the same response for a page that was made from the stored one.
    func response(_ page: [UInt8], isHead: Bool) -> ReplayResponse {
        var fields = fields("text/html" + charset, length: UInt64(page.count))
        // Some browsers look up the hosts of a page's links.
        if let name = HTTPField.Name("X-DNS-Prefetch-Control") { fields[name] = "off" }
        return ReplayResponse(
            HTTPResponse(status: .ok, headerFields: fields), isHead ? [] : [.bytes(ByteBuffer(bytes: page))],
            outcome: .own)
    }

    /// Returns the fields that all previews have, which are not stored by clients.
    private func fields(_ contentType: String, length: UInt64) -> HTTPFields {
        [
            .contentType: contentType, .contentLength: String(length), .cacheControl: "no-store",
            .contentSecurityPolicy: Self.policy, .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
        ]
    }
}
