// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import NIOCore
package import WebArchive

/// The responses to a request for ranges. RFC 9110 sections 14.4, 14.6, 15.3.7 and 15.5.17.
///
/// It selects no range itself: see `RepresentationSelection`.
package struct RangeResponse {
    /// The fields of the response with the whole body.
    ///
    /// A 206 has all of them, but a length of its own, and for several ranges a type of its own.
    package let fields: HTTPFields
    /// The body whose ranges are sent.
    ///
    /// Its blocks determine the cost of a range, and its digest the boundary.
    package let body: ArchiveBody
    /// A function that returns the content in a nonempty range.
    ///
    /// Nil leaves the range out.
    package let part: (Range<UInt64>) -> ReplayResponse.Part?

    /// Creates the selection among 206, 416 and 200 for one body.
    ///
    /// - Parameter part: a function that returns the content in a nonempty range; called once for each range that is sent.
    package init(fields: HTTPFields, body: ArchiveBody, part: @escaping (Range<UInt64>) -> ReplayResponse.Part?) {
        self.fields = fields
        self.body = body
        self.part = part
    }

    /// Returns the response to ranges that were clamped to the body.
    ///
    /// None is 416 with the length of the body, one is 206 with `Content-Range`, several are 206 of type `multipart/byteranges`. The response
    /// to several is the whole body, 200, if their heads would exceed 16 KiB; and only the first ones are sent if they
    /// would decode far more than they send (RFC 9110 section 15.3.7 allows it).
    ///
    /// - Parameter ranges: the ranges in bytes, none of them empty, all inside the body.
    package func response(_ ranges: [Range<UInt64>]) -> ReplayResponse {
        switch ranges.count {
        case 0: notSatisfiable
        case 1: single(ranges[0])
        case _ where repeatedLength(ranges) > Self.maximumRepeatedLength: whole
        default: multipart(ranges.prefix(affordableCount(ranges)))
        }
    }

    /// The length of the blocks that are decoded for the ranges of one response, in bytes, beyond eight times the sent length.
    private static let decodedLength: UInt64 = 4 << 20

    /// Returns the number of ranges that are sent, at least one: a byte of each block would cost as much as all of the body.
    ///
    /// A server may send a subset (RFC 9110 section 15.3.7); the client requests the others again.
    ///
    /// All ranges of a body of up to 256 KiB are sent, since it is read as a whole anyway.
    private func affordableCount(_ ranges: [Range<UInt64>]) -> Int {
        guard body.length > StoredResponse.maximumContentLength else { return ranges.count }
        let blockLength = UInt64(body.blockLength)
        var (decoded, sent) = (UInt64(0), UInt64(0))
        for (number, range) in ranges.enumerated() {
            decoded += ((range.upperBound - 1) / blockLength - range.lowerBound / blockLength + 1) * blockLength
            sent += UInt64(range.count)
            if number > 0, decoded > Self.decodedLength + 8 * sent { return number }
        }
        return ranges.count
    }

    /// The maximum length of the heads of parts, in bytes: a stored media type may be long, and is in each of them.
    private static let maximumRepeatedLength = 16 << 10

    /// Returns the length of the media type in all parts together, in bytes.
    private func repeatedLength(_ ranges: [Range<UInt64>]) -> Int {
        ranges.count * (fields[.contentType]?.utf8.count ?? 0)
    }

    /// A server may ignore the field (RFC 9110 section 14.2).
    ///
    /// It is sent in place of ranges whose heads would be long.
    private var whole: ReplayResponse {
        ReplayResponse(
            HTTPResponse(status: .ok, headerFields: fields), [part(0..<body.length)].compactMap(\.self),
            outcome: .responded)
    }

    /// The response 416 with the length of the body (RFC 9110 section 15.5.17).
    private var notSatisfiable: ReplayResponse {
        ReplayResponse(
            HTTPResponse(
                status: .rangeNotSatisfiable,
                headerFields: [.contentRange: "bytes */\(body.length)", .contentLength: "0", .acceptRanges: "bytes"]),
            outcome: .responded)
    }

    /// Returns 206 with one range (RFC 9110 section 15.3.7.1).
    private func single(_ range: Range<UInt64>) -> ReplayResponse {
        var fields = fields
        fields[.contentRange] = contentRange(range)
        fields[.contentLength] = String(range.count)
        return ReplayResponse(
            HTTPResponse(status: .partialContent, headerFields: fields), [part(range)].compactMap(\.self),
            outcome: .responded)
    }

    /// Returns 206 of type `multipart/byteranges` (RFC 9110 section 14.6), with the body's digest as the boundary.
    ///
    /// - Parameter ranges: the ranges in the order of the request; they may overlap.
    private func multipart(_ ranges: ArraySlice<Range<UInt64>>) -> ReplayResponse {
        // A body contains its own digest only by design, and then it harms only its reader.
        let boundary = "webarc-\(body.digest)"
        var parts: [ReplayResponse.Part] = []
        for (number, range) in ranges.enumerated() {
            var text = number == 0 ? "--\(boundary)\r\n" : "\r\n--\(boundary)\r\n"
            if let type = self.fields[.contentType] { text += "Content-Type: \(type)\r\n" }
            text += "Content-Range: \(contentRange(range))\r\n\r\n"
            parts.append(.bytes(ByteBuffer(string: text)))
            if let content = part(range) { parts.append(content) }
        }
        parts.append(.bytes(ByteBuffer(string: "\r\n--\(boundary)--\r\n")))
        var fields = fields
        fields[.contentType] = "multipart/byteranges; boundary=\(boundary)"
        fields[.contentLength] = String(parts.reduce(0) { $0 + $1.length })
        return ReplayResponse(
            HTTPResponse(status: .partialContent, headerFields: fields), parts, outcome: .responded)
    }

    /// Returns the value of `Content-Range` (RFC 9110 section 14.4), whose last position is inclusive.
    private func contentRange(_ range: Range<UInt64>) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.length)"
    }
}
