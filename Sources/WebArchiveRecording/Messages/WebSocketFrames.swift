// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A reader of the messages in one direction of a WebSocket (RFC 6455 section 5), from bytes that arrive in pieces.
struct WebSocketFrames {
    /// A message, or a control frame.
    struct Message {
        var opcode: UInt8
        var data: [UInt8]
        /// Whether the data are only the beginning, because the message is too long.
        var isCut = false
    }

    private enum State {
        case head
        case payload(Frame, left: UInt64)
    }

    private struct Frame {
        var isLast: Bool
        var opcode: UInt8
        var mask: [UInt8]
    }

    private var state = State.head
    private var unread = ByteBuffer()
    /// The message whose frames are arriving, and a control frame between them.
    private var message: Message?
    private var control = Message(opcode: 0, data: [])
    /// Whether the bytes are no frames, and nothing more is read.
    private var isBroken = false

    /// The maximum number of bytes of a message that are kept.
    private static let maximumLength = 1 << 20

    /// Adds bytes, and returns the messages that end in them.
    mutating func add(_ bytes: ByteBuffer) -> [Message] {
        guard !isBroken else { return [] }
        var bytes = bytes
        unread.writeBuffer(&bytes)
        var found: [Message] = []
        while true {
            switch state {
            case .head:
                guard let (frame, length) = readHead() else { return end(found) }
                begin(frame)
                state = .payload(frame, left: length)
            case .payload(let frame, let left):
                let count = Int(min(left, UInt64(unread.readableBytes)))
                guard count > 0 || left == 0, let piece = unread.readBytes(length: count) else { return end(found) }
                keep(piece, of: frame, left: left)
                let rest = left - UInt64(count)
                state = .payload(frame, left: rest)
                guard rest == 0 else { continue }
                if let message = finish(frame) { found.append(message) }
                state = .head
            }
        }
    }

    private mutating func end(_ found: [Message]) -> [Message] {
        unread.discardReadBytes()
        return found
    }

    private mutating func readHead() -> (Frame, UInt64)? {
        let bytes = unread.readableBytesView
        guard bytes.count >= 2 else { return nil }
        let (first, second) = (bytes[bytes.startIndex], bytes[bytes.startIndex + 1])
        let code = second & 0x7F
        let lengthSize = code == 126 ? 2 : code == 127 ? 8 : 0
        let maskSize = second & 0x80 == 0 ? 0 : 4
        guard bytes.count >= 2 + lengthSize + maskSize else { return nil }
        let start = bytes.startIndex + 2
        let length =
            lengthSize == 0
            ? UInt64(code) : bytes[start..<start + lengthSize].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let mask = Array(bytes[(start + lengthSize)..<(start + lengthSize + maskSize)])
        unread.moveReaderIndex(forwardBy: 2 + lengthSize + maskSize)
        // Section 5.2: the highest bit is 0, and a message without its first frame is none.
        if length >> 63 != 0 || first & 0x0F == 0 && message == nil { isBroken = true }
        return isBroken ? nil : (Frame(isLast: first & 0x80 != 0, opcode: first & 0x0F, mask: mask), length)
    }

    private mutating func begin(_ frame: Frame) {
        let started = Message(opcode: frame.opcode, data: [])
        if frame.opcode >= 8 { control = started } else if frame.opcode > 0 { message = started }
        offset = 0
    }

    /// The number of bytes of the present frame so far, by which its mask is applied.
    private var offset = 0

    private mutating func keep(_ piece: [UInt8], of frame: Frame, left: UInt64) {
        var piece = piece
        if frame.mask.count == 4 {
            for place in piece.indices { piece[place] ^= frame.mask[(offset + place) & 3] }
        }
        offset = (offset + piece.count) & 3
        if frame.opcode >= 8 { return Self.append(piece, to: &control) }
        if var kept = message {
            message = nil
            Self.append(piece, to: &kept)
            message = kept
        }
    }

    private static func append(_ piece: [UInt8], to message: inout Message) {
        let room = maximumLength - message.data.count
        message.data += piece.prefix(room)
        if piece.count > room { message.isCut = true }
    }

    private mutating func finish(_ frame: Frame) -> Message? {
        if frame.opcode >= 8 { return control }
        guard frame.isLast else { return nil }
        defer { message = nil }
        return message
    }
}
