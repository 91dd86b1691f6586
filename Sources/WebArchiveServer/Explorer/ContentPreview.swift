// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import WebArchive
import WebArchiveReplay

/// The stored body of an entry, shown on its own: without script, without origin, and without anything from elsewhere.
///
/// No body is sent so that a browser that goes to it makes a document of it: a policy refuses loads, but not the connections that an
/// archived document asks for. A page is shown as its text, or in the form that ``SelfContainedPage`` makes of it. A picture in XML (SVG)
/// is to be saved; image elements, in which it loads nothing, show it all the same.
struct ContentPreview {
    /// The form in which a body is previewed.
    enum Form: Equatable {
        case image, audio, video
        /// In a frame.
        case document
        /// To be saved only.
        case file
    }

    /// Longer documents are not shown at once, in bytes.
    static let longestDocument: UInt64 = 4 << 20

    let form: Form
    /// Whether a document is a page, which is shown with its styles and pictures.
    let isPage: Bool
    /// Whether a browser that goes to the content saves it.
    let isSaved: Bool
    /// Of the stored body.
    private let contentType: String
    /// The parameter of a page's media type, or nothing.
    private let charset: String

    /// Applies to the content wherever it is opened: `sandbox` takes away its origin and its scripts.
    private static let policy = """
        sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'
        """

    /// - Parameters:
    ///   - mediaType: as the archive has it.
    ///   - charset: as the archive has it; left out unless it is a plain label.
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

    private static func isText(_ subtype: Substring) -> Bool {
        ["json", "javascript", "xml", "ecmascript"].contains(subtype) || subtype.hasSuffix("+json")
            || subtype.hasSuffix("+xml")
    }

    /// Returns a token of a usual length.
    private static func isLabel(_ text: Substring) -> Bool { text.utf8.count <= 100 && FieldText.isToken(text.utf8) }

    /// - Parameter head: the head of the request; a film is wound to by ranges.
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

    /// Returns the same for a page that was made from the stored one.
    func response(_ page: [UInt8], isHead: Bool) -> ReplayResponse {
        var fields = fields("text/html" + charset, length: UInt64(page.count))
        // Some browsers look up the hosts of a page's links.
        if let name = HTTPField.Name("X-DNS-Prefetch-Control") { fields[name] = "off" }
        return ReplayResponse(
            HTTPResponse(status: .ok, headerFields: fields), isHead ? [] : [.bytes(ByteBuffer(bytes: page))],
            outcome: .own)
    }

    private func fields(_ contentType: String, length: UInt64) -> HTTPFields {
        [
            .contentType: contentType, .contentLength: String(length), .cacheControl: "no-store",
            .contentSecurityPolicy: Self.policy, .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
        ]
    }
}
