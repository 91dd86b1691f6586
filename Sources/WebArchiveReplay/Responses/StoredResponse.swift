// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import NIOCore
import WebArchive

/// A conversion of the fields of a stored response into a server's form for sending, made once for each cached response.
package typealias FieldPreparation = @Sendable (HTTPFields) -> any AnyObject & Sendable

/// A response of an archive, with the header fields for sending.
struct StoredResponse: Sendable {
    /// The status, with the stored reason phrase as far as it can be sent.
    let status: HTTPResponse.Status
    /// The head of the response with the whole body: without fields of the recorded connection, and of codings that
    /// were removed from the body.
    let whole: HTTPResponse
    /// The server's own form of its fields.
    ///
    /// It is nil unless the server prepares fields.
    let prepared: (any AnyObject & Sendable)?
    /// The body; nil for a response without one.
    let body: ArchiveBody?
    /// The bytes of the body, decoded and checked, if it is short.
    ///
    /// It is nil for a longer body, and for a response that was read for HEAD.
    let content: ByteBuffer?
    /// The strong entity tag: the digest of the body.
    ///
    /// Only a response with status 200 has one (RFC 9110 section 8.8.3).
    let entityTag: String?
    /// The time of the last change, in nanoseconds since 1970.
    ///
    /// It is that of the `Last-Modified` field, or of the entry without one; nil if neither is known.
    let modified: Int64?
    /// The capture that it is, among others of the request.
    let capture: StoredCapture

    /// The length up to which bodies are read at once; longer ones are read block by block while they are sent. A block of the usual length.
    static let maximumContentLength: UInt64 = 1 << 18

    /// Creates the response; nil if the entry has none. Throws `damaged` or `io`.
    init?(
        /// A stored `Content-Encoding` that the body contradicts is left out, with the other fields of a coding.
        ///
        /// - Parameters:
        ///   - entry: the entry, whose budget limits its fields.
        ///   - capture: the capture that the entry is; by default, one among no others.
        ///   - readingContent: whether a short body is read at once.
        ///   - prepare: a function that makes the server's own form of the fields; nil for none.
        _ entry: ArchiveEntry, _ capture: StoredCapture = StoredCapture(), readingContent: Bool,
        prepare: FieldPreparation? = nil
    ) throws(ArchiveError) {
        guard let response = try entry.response else { return nil }
        let body = try entry.body
        self.body = body
        self.capture = capture
        content = readingContent ? (try body.mapTyped(Self.content) ?? nil) : nil
        status = HTTPResponse.Status(code: response.status, reasonPhrase: Self.legal(response.reason))
        var fields = Self.fields(response)
        if response.status != 206, let coding = fields[.contentEncoding], let body, try Self.isFalse(coding, of: body) {
            for name in HTTPField.Name.ofTheCoding { fields[name] = nil }
        }
        if response.status == 200, let body {
            let tag = "\"\(body.digest)\""
            entityTag = tag
            fields[.eTag] = tag
        } else {
            entityTag = nil
        }
        if let modified = response.modified, !fields.contains(.lastModified) {
            fields[.lastModified] = HTTPDate.text(nanoseconds: modified.nanoseconds)
        }
        modified = fields[.lastModified].flatMap(FieldDate.nanoseconds)
        if !Self.statusesWithoutContent.contains(response.status) {
            fields[.contentLength] = String(body?.length ?? 0)
        } else if response.status == 205 {
            fields[.contentLength] = "0"
        }
        if response.status == 200, body != nil { fields[.acceptRanges] = "bytes" }
        whole = HTTPResponse(status: status, headerFields: fields)
        prepared = prepare?(fields)
    }

    /// Reads the whole body, which is checked for that; nil for one of more than ``maximumContentLength``.
    private static func content(_ body: ArchiveBody) throws(ArchiveError) -> ByteBuffer? {
        guard body.length <= maximumContentLength else { return nil }
        var buffer = ByteBuffer()
        buffer.reserveCapacity(Int(body.length))
        try body.forEachBuffer { chunk throws(ArchiveError) in buffer.writeBytes(chunk) }
        return buffer
    }

    /// Returns whether a body does not begin like one in a content coding, so that no client could decode it. Codings without a fixed beginning are
    /// believed.
    ///
    /// Only gzip and zstd are checked, by the first four bytes of the body; an empty body is not checked.
    ///
    /// - Parameter coding: the value of the `Content-Encoding` field.
    private static func isFalse(_ coding: String, of body: ArchiveBody) throws(ArchiveError) -> Bool {
        // The one that was applied last is the first to be removed (RFC 9110 section 8.4).
        let last = coding.split(separator: ",").last.map { String($0).asciiLowercased.trimmingOptionalWhitespace }
        let isRight: ([UInt8]) -> Bool
        switch last.map(String.init) {
        // RFC 1952 section 2.3.
        case "gzip", "x-gzip": isRight = { $0.starts(with: [0x1F, 0x8B]) }
        // RFC 8878 section 3.1: a frame, or one that is to be skipped.
        case "zstd":
            isRight = { bytes in
                bytes == [0x28, 0xB5, 0x2F, 0xFD] || bytes.dropFirst() == [0x2A, 0x4D, 0x18] && bytes[0] >> 4 == 5
            }
        default: return false
        }
        guard body.length > 0 else { return false }
        return !isRight(try body.bytes(in: 0..<min(4, body.length)))
    }

    /// Returns the part of the content in a range of the body.
    ///
    /// It reads nothing; the range is read when it is sent.
    ///
    /// - Returns: the part; nil for an empty range, and without a body.
    func part(_ range: Range<UInt64>) -> ReplayResponse.Part? {
        guard let body, !range.isEmpty else { return nil }
        return .body(body, range)
    }

    /// Returns the stored fields that may be sent: without those of the recorded connection and of removed codings, and without names that
    /// are not tokens.
    ///
    /// Of the values that are not ASCII, those beyond 4 KiB in total are left out.
    private static func fields(_ response: ArchiveResponse) -> HTTPFields {
        var dropped = HTTPField.Name.ofTheRecording
        if !response.codings.isEmpty { dropped.formUnion(HTTPField.Name.ofTheCoding) }
        // RFC 9110 section 14.4: it has a meaning with these statuses only.
        if response.status != 206, response.status != 416 { dropped.insert(.contentRange) }
        if response.headers["Connection"] != nil {
            dropped.formUnion(ConnectionFields.names(of: response.headers).compactMap { HTTPField.Name($0) })
        }
        var fields = HTTPFields()
        fields.reserveCapacity(response.headers.count + 4)
        var otherLeft = maximumOtherValuesLength
        for field in response.headers {
            // Names that are not tokens are left out; in values, a space replaces characters that would end a line.
            guard let sent = HTTPField(field), !dropped.contains(sent.name) else { continue }
            if field.valueBytes.contains(where: { $0 >= 0x80 }) {
                otherLeft -= field.valueBytes.count
                guard otherLeft >= 0 else { continue }
            }
            fields.append(sent)
        }
        return fields
    }

    /// The maximum length of values that are not ASCII, of one response together, in bytes. Such a value is converted each time it is sent,
    /// and no site has long ones.
    private static let maximumOtherValuesLength = 4096

    /// The fields of the response with the whole body.
    var fields: HTTPFields { whole.headerFields }

    /// Returns the value of a condition of a request; nil for a date that cannot be about this capture.
    ///
    /// A client may have a later capture: of several, only the exact date of this one shows that it has this one.
    func condition(_ field: Preconditions.Field, of request: HTTPFields) -> String? {
        let value = request.value(of: field)
        guard capture.isOneOfSeveral, field == .ifModifiedSince else { return value }
        return value.flatMap(FieldDate.nanoseconds) == modified ? value : nil
    }

    /// Whether a content coding shortens the content, and is worthwhile: text of some length, and not too long to be coded as a whole.
    ///
    /// Only a 200 of a compressible media type without a coding qualifies.
    var isCompressible: Bool {
        guard status.code == 200, let body, Self.compressibleLengths.contains(body.length),
            !fields.contains(.contentEncoding),
            let mediaType = fields[.contentType].flatMap({ ContentTypeValue.parts(of: $0).mediaType })
        else { return false }
        return MediaTypes.isCompressible(mediaType) || mediaType == "application/wasm"
    }

    /// The range of lengths in bytes. Content that fits in a packet gains nothing.
    private static let compressibleLengths: ClosedRange<UInt64> = 1024...(8 << 20)

    /// Whether a response has content at all.
    var hasContent: Bool { !Self.statusesWithoutContent.contains(status.code) }

    /// The statuses of RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5.
    private static let statusesWithoutContent: Set<Int> = [204, 205, 304]

    /// Returns the start of a reason phrase without an end of line (RFC 9112 section 4). A client is free to ignore all of it.
    ///
    /// Each control character becomes a space, and the phrase has at most 256 bytes.
    private static func legal(_ reason: String) -> String {
        String(decoding: reason.utf8.prefix(256).map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
    }
}
