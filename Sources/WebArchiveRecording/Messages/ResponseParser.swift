// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WebArchive
import WebArchiveInterchange

/// A parser of the responses on one HTTP/1.1 connection (RFC 9112), which takes bytes as they arrive.
///
/// SwiftNIO's decoder has neither the bytes of a head nor the chunk framing, which an archive keeps, and makes text of values that need not be
/// UTF-8. The content is framed again for a client, so that no doubt about the end of a message is passed on. It is not copied.
struct ResponseParser {
    /// A part of a response.
    enum Event {
        /// The head of an informational or of the final response.
        case head(ReceivedHead)
        /// Bytes of the content, without chunk framing.
        case content(ByteBuffer)
        /// The end of the response, with its trailer fields.
        case end(HeaderFields)
    }

    /// The framing of the present response's content (RFC 9112 section 6.3).
    enum Framing: Equatable {
        case none
        /// The number of bytes that a `Content-Length` announces.
        case length(UInt64)
        case chunked
        /// All bytes until the connection ends.
        case connection
    }

    private enum State: Equatable {
        case head
        case content(UInt64)
        case chunkSize
        case chunk(UInt64)
        case chunkEnd
        case trailer
        case untilEnd
        /// The response is complete, and its end is to be emitted.
        case complete
        /// The connection carries another protocol (RFC 9110 section 7.8).
        case switched
    }

    private var state = State.head
    private var isHEAD = false
    private var trailers: [HeaderField] = []
    private var trailerLength = 0
    /// The number of bytes that are known to have no end of a head.
    private var searched = 0
    /// The framing of the present response.
    private(set) var framing = Framing.none
    /// Whether another request may use the connection after the present response.
    private(set) var isReusable = true

    /// The maximum length of a head in bytes, and of a trailer section.
    private static let maximumHeadLength = 1 << 17
    /// The maximum length of the line with a chunk's size, in bytes.
    private static let maximumLineLength = 4096

    /// Prepares for the response to the next request.
    mutating func begin(isHEAD: Bool) {
        (state, self.isHEAD, trailers, trailerLength, searched) = (.head, isHEAD, [], 0, 0)
        (framing, isReusable) = (.none, true)
    }

    /// Returns the next part of the response; nil if more bytes are needed.
    ///
    /// - Parameter bytes: the bytes that have arrived, from which those of the part are taken.
    /// - Throws: `damaged` if they are not a response.
    mutating func next(_ bytes: inout ByteBuffer) throws(ArchiveError) -> Event? {
        while true {
            switch state {
            case .head:
                guard let head = try readHead(&bytes) else { return nil }
                return .head(head)
            case .content(let left), .chunk(let left):
                guard let piece = bytes.readSlice(length: Int(min(left, UInt64(bytes.readableBytes)))),
                    piece.readableBytes > 0
                else { return nil }
                advance(by: UInt64(piece.readableBytes), of: left)
                return .content(piece)
            case .untilEnd, .switched:
                guard bytes.readableBytes > 0, let piece = bytes.readSlice(length: bytes.readableBytes) else {
                    return nil
                }
                return .content(piece)
            case .chunkSize:
                guard let line = try readLine(&bytes, atMost: Self.maximumLineLength) else { return nil }
                let size = try Self.chunkSize(line)
                state = size == 0 ? .trailer : .chunk(size)
            case .chunkEnd:
                guard let line = try readLine(&bytes, atMost: 2) else { return nil }
                guard line.isEmpty else { throw .damaged("a chunk is longer than its size") }
                state = .chunkSize
            case .trailer:
                guard let line = try readLine(&bytes, atMost: Self.maximumHeadLength - trailerLength) else {
                    return nil
                }
                guard line.isEmpty else {
                    try addTrailer(line)
                    continue
                }
                state = .complete
            case .complete:
                state = .head
                return .end(HeaderFields(trailers))
            }
        }
    }

    /// Ends the bytes of the connection.
    ///
    /// - Returns: whether the response is complete: one without a length is.
    mutating func endConnection() -> Bool {
        isReusable = false
        return state == .untilEnd || state == .switched
    }

    private mutating func advance(by count: UInt64, of left: UInt64) {
        switch state {
        case .content: state = left == count ? .complete : .content(left - count)
        default: state = left == count ? .chunkEnd : .chunk(left - count)
        }
    }

    // MARK: - Heads

    private mutating func readHead(_ bytes: inout ByteBuffer) throws(ArchiveError) -> ReceivedHead? {
        guard let length = lengthOfHead(bytes) else {
            guard bytes.readableBytes <= Self.maximumHeadLength else {
                throw .damaged("the head of a response exceeds \(Self.maximumHeadLength) bytes")
            }
            return nil
        }
        searched = 0
        guard let raw = bytes.readBytes(length: length), let message = MessageHead(raw[...]),
            let line = StatusLine(message.startLine)
        else { throw .damaged("the bytes are not a response of HTTP/1") }
        let head = ReceivedHead(
            version: line.version, status: line.status, reason: line.reason, fields: message.fields, bytes: raw)
        guard !head.isInformational else { return head }
        isReusable = line.version == "HTTP/1.1" && !Self.isLast(message.fields)
        try begin(head)
        return head
    }

    /// Returns the length of the head with its empty line; nil if it has not arrived.
    private mutating func lengthOfHead(_ bytes: ByteBuffer) -> Int? {
        let span = bytes.readableBytesUInt8Span
        var place = max(1, searched)
        while place < span.count {
            let before = span[place - 1]
            if span[place] == 0x0A, before == 0x0A || before == 0x0D && place > 1 && span[place - 2] == 0x0A {
                return place + 1
            }
            place += 1
        }
        searched = span.count
        return nil
    }

    /// Returns whether the server ends the connection after the response.
    private static func isLast(_ fields: HeaderFields) -> Bool {
        guard let connection = fields["Connection"] else { return false }
        return connection.split(separator: ",").contains { $0.trimmingOptionalWhitespace.asciiLowercased == "close" }
    }

    /// Determines the framing of the content (RFC 9112 section 6.3).
    private mutating func begin(_ head: ReceivedHead) throws(ArchiveError) {
        guard head.status != 101 else {
            (framing, state, isReusable) = (.connection, .switched, false)
            return
        }
        guard !isHEAD, head.status != 204, head.status != 304 else {
            (framing, state) = (.none, .complete)
            return
        }
        let lengths = Set(head.fields.values(named: "Content-Length"))
        if let codings = head.fields["Transfer-Encoding"] {
            // A length beside it is an error, or an attack.
            if !lengths.isEmpty { isReusable = false }
            let last = codings.split(separator: ",").last?.trimmingOptionalWhitespace ?? ""
            if last.asciiLowercased == "chunked" {
                (framing, state) = (.chunked, .chunkSize)
                return
            }
        } else if lengths.count == 1, let text = lengths.first, let length = Self.decimal(text) {
            framing = .length(length)
            state = length == 0 ? .complete : .content(length)
            return
        }
        (framing, state, isReusable) = (.connection, .untilEnd, false)
    }

    private static func decimal(_ text: String) -> UInt64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(text) : nil
    }

    // MARK: - Chunks

    /// Takes a line, and returns it without its end; nil if it is not complete.
    private func readLine(_ bytes: inout ByteBuffer, atMost limit: Int) throws(ArchiveError) -> [UInt8]? {
        guard let end = bytes.readableBytesView.firstIndex(of: 0x0A) else {
            guard bytes.readableBytes <= limit else { throw .damaged("a line of the chunk framing is too long") }
            return nil
        }
        let length = end - bytes.readerIndex
        guard length <= limit, var line = bytes.readBytes(length: length + 1) else {
            throw .damaged("a line of the chunk framing is too long")
        }
        line.removeLast()
        if line.last == 0x0D { line.removeLast() }
        return line
    }

    private static func chunkSize(_ line: [UInt8]) throws(ArchiveError) -> UInt64 {
        let digits = line.prefix { PercentEncoding.hexValue($0) != nil }
        let rest = line.dropFirst(digits.count)
        guard (1...15).contains(digits.count), rest.isEmpty || [0x3B, 0x20, 0x09].contains(rest.first) else {
            throw .damaged("invalid chunk size")
        }
        return digits.reduce(0) { $0 << 4 | UInt64(PercentEncoding.hexValue($1) ?? 0) }
    }

    private mutating func addTrailer(_ line: [UInt8]) throws(ArchiveError) {
        trailerLength += line.count + 2
        guard trailerLength < Self.maximumHeadLength else {
            throw .damaged("the trailer section exceeds \(Self.maximumHeadLength) bytes")
        }
        // Parsed by the same rules as those of a head.
        guard let head = MessageHead(("-\r\n".utf8 + line + "\r\n\r\n".utf8)[...]) else { return }
        trailers += head.fields
    }
}
