// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The bytes that a server sends after the head.
public struct HTTPTestBody: Sendable {
    private enum Source {
        case bytes(ByteBuffer)
        case pieces([ByteBuffer])
        case generated(Int)
    }

    private let source: Source
    public let count: Int

    public init(_ bytes: some Sequence<UInt8>) {
        let buffer = ByteBuffer(bytes: bytes)
        source = .bytes(buffer)
        count = buffer.readableBytes
    }

    public init(_ text: String) { self.init(text.utf8) }

    /// Sent one after the other, each as a chunk of its own where the response is chunked.
    public init(pieces: [[UInt8]]) {
        source = .pieces(pieces.filter { !$0.isEmpty }.map { ByteBuffer(bytes: $0) })
        count = pieces.reduce(0) { $0 + $1.count }
    }

    private init(source: Source, count: Int) {
        self.source = source
        self.count = count
    }

    /// Bytes that are made while they are sent, so that a body of any length takes no memory.
    public static func generated(_ count: Int) -> HTTPTestBody { HTTPTestBody(source: .generated(count), count: count) }

    public static var empty: HTTPTestBody { HTTPTestBody([]) }

    /// The bytes of a part, or all of them.
    public func bytes(_ range: Range<Int>? = nil) -> [UInt8] {
        var all: [UInt8] = []
        var position = range?.lowerBound ?? 0
        let end = min(range?.upperBound ?? count, count)
        while position < end {
            let piece = piece(at: position, limit: end - position)
            all += piece.readableBytesView
            position += piece.readableBytes
        }
        return all
    }

    /// The bytes from a position on: at least one and at most `limit`, none at the end.
    func piece(at position: Int, limit: Int) -> ByteBuffer {
        guard position < count, limit > 0 else { return ByteBuffer() }
        switch source {
        case .bytes(let buffer):
            return buffer.getSlice(at: buffer.readerIndex + position, length: min(limit, count - position))
                ?? ByteBuffer()
        case .pieces(let pieces):
            var start = position
            for piece in pieces {
                if start < piece.readableBytes {
                    let length = min(limit, piece.readableBytes - start)
                    return piece.getSlice(at: piece.readerIndex + start, length: length) ?? ByteBuffer()
                }
                start -= piece.readableBytes
            }
            return ByteBuffer()
        case .generated:
            let start = position % Self.period
            let length = min(limit, count - position, Self.pattern.readableBytes - start)
            return Self.pattern.getSlice(at: start, length: length) ?? ByteBuffer()
        }
    }

    /// No multiple of the sizes of blocks and pages, so that what gets lost or comes twice shows.
    private static let period = 1_000_003

    private static let pattern: ByteBuffer = {
        var random = SeededGenerator(seed: 1)
        return ByteBuffer(bytes: random.bytes(period))
    }()
}
