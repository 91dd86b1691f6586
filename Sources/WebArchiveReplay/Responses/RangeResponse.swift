// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import NIOCore
package import WebArchive

/// The responses to a request for ranges. RFC 9110 sections 14.4, 14.6, 15.3.7 and 15.5.17.
package struct RangeResponse {
    /// The fields of the response with the whole body.
    package let fields: HTTPFields
    /// The body of which ranges are sent.
    package let body: ArchiveBody
    /// The content in a range, which is not empty.
    package let part: (Range<UInt64>) -> ReplayResponse.Part?

    /// Creates the choice among 206, 416 and 200 for one body.
    package init(fields: HTTPFields, body: ArchiveBody, part: @escaping (Range<UInt64>) -> ReplayResponse.Part?) {
        self.fields = fields
        self.body = body
        self.part = part
    }

    /// Returns the response to ranges that were cut to the body already.
    ///
    /// None is 416 with the length of the body, one is 206 with `Content-Range`, several are 206 of type `multipart/byteranges`. Several
    /// are answered with the whole body, 200, where their heads would come to more than 16 KiB; and only the first ones are sent where they
    /// would have far more decoded than sent (RFC 9110 section 15.3.7 allows it).
    ///
    /// - Parameter ranges: the ranges in bytes, none of them empty, all inside the body.
    package func response(_ ranges: [Range<UInt64>]) -> ReplayResponse {
        switch ranges.count {
        case 0: notSatisfiable
        case 1: single(ranges[0])
        case _ where repeatedLength(ranges) > Self.longestRepetition: whole
        default: multipart(ranges.prefix(affordableCount(ranges)))
        }
    }

    /// The length of the blocks that are decoded for the ranges of one response, in bytes, beyond eight times what is sent of them.
    private static let decodedLength: UInt64 = 4 << 20

    /// How many of the ranges are sent, at least one: a byte of each block would cost as much as all of the body.
    ///
    /// A server may send a subset (RFC 9110 section 15.3.7); the client asks for the others again.
    private func affordableCount(_ ranges: [Range<UInt64>]) -> Int {
        guard body.length > StoredResponse.longestContent else { return ranges.count }
        let blockLength = UInt64(body.blockLength)
        var (decoded, sent) = (UInt64(0), UInt64(0))
        for (number, range) in ranges.enumerated() {
            decoded += ((range.upperBound - 1) / blockLength - range.lowerBound / blockLength + 1) * blockLength
            sent += UInt64(range.count)
            if number > 0, decoded > Self.decodedLength + 8 * sent { return number }
        }
        return ranges.count
    }

    /// Bytes that the heads of parts may come to: a stored media type may be long, and is in each of them.
    private static let longestRepetition = 16 << 10

    private func repeatedLength(_ ranges: [Range<UInt64>]) -> Int {
        ranges.count * (fields[.contentType]?.utf8.count ?? 0)
    }

    /// A server may ignore the field (RFC 9110 section 14.2).
    private var whole: ReplayResponse {
        ReplayResponse(
            HTTPResponse(status: .ok, headerFields: fields), [part(0..<body.length)].compactMap(\.self),
            outcome: .answered)
    }

    private var notSatisfiable: ReplayResponse {
        ReplayResponse(
            HTTPResponse(
                status: .rangeNotSatisfiable,
                headerFields: [.contentRange: "bytes */\(body.length)", .contentLength: "0", .acceptRanges: "bytes"]),
            outcome: .answered)
    }

    private func single(_ range: Range<UInt64>) -> ReplayResponse {
        var fields = fields
        fields[.contentRange] = contentRange(range)
        fields[.contentLength] = String(range.count)
        return ReplayResponse(
            HTTPResponse(status: .partialContent, headerFields: fields), [part(range)].compactMap(\.self),
            outcome: .answered)
    }

    /// 206 of type `multipart/byteranges` (RFC 9110 section 14.6), with the body's digest as the boundary.
    private func multipart(_ ranges: ArraySlice<Range<UInt64>>) -> ReplayResponse {
        // A body cannot have its own digest in it but by design, and then it harms nobody but its reader.
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
            HTTPResponse(status: .partialContent, headerFields: fields), parts, outcome: .answered)
    }

    private func contentRange(_ range: Range<UInt64>) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.length)"
    }
}
