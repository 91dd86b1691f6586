// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A decoder of one coding, which takes the coded bytes piece by piece.
protocol ContentDecoder: AnyObject {
    /// Decodes the next bytes.
    ///
    /// - Parameter emit: a function that is called with decoded bytes, which are valid during the call.
    /// - Throws: `damaged` if the bytes are not in this coding; errors of `emit`.
    func decode(
        _ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError)

    /// Ends the coded bytes.
    ///
    /// - Throws: `truncated` if more would have to follow.
    func finish() throws(ArchiveError)
}

/// A coding of a message's content: a content coding (RFC 9110 section 8.4.1) or a transfer coding (RFC 9112 section 7).
enum Coding: String {
    case gzip, deflate
    case brotli = "br"
    case zstd, chunked

    /// Finds a coding by its name, without regard to case; nil for an unknown one.
    init?(name: some StringProtocol) {
        switch String(name).asciiLowercased {
        case "gzip", "x-gzip": self = .gzip
        case let name: self.init(rawValue: name)
        }
    }

    /// Creates a decoder.
    ///
    /// - Parameter start: the first bytes of the coded content.
    /// - Returns: nil if the content cannot be in this coding.
    func decoder(start: [UInt8]) throws(ArchiveError) -> (any ContentDecoder)? {
        switch self {
        case .gzip: start.starts(with: [0x1F, 0x8B]) ? try DeflateDecoder(.wrapped) : nil
        // RFC 9110 section 8.4.1.2: the form of zlib; some servers send it without.
        case .deflate: try DeflateDecoder(Self.hasZlibHeader(start) ? .wrapped : .raw)
        case .brotli: try BrotliDecoder()
        case .zstd: start.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) ? try ZstandardDecoder() : nil
        case .chunked: ChunkedDecoder()
        }
    }

    /// Returns whether the bytes begin with a header of RFC 1950 section 2.2: the method deflate, and a check number.
    private static func hasZlibHeader(_ start: [UInt8]) -> Bool {
        start.count >= 2 && start[0] & 0x0F == 8 && (Int(start[0]) << 8 | Int(start[1])) % 31 == 0
    }
}
