// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// An HTTP message that is received piece by piece: its head, and the content behind it.
struct ReceivedMessage {
    /// The bytes of the head; of a message without one, those that were looked at.
    private(set) var headBytes: [UInt8] = []
    /// The head; nil until its end, and for a message without one.
    private(set) var head: MessageHead?
    /// The bytes behind the head, or all bytes of a message without one.
    let content = SpooledBody()
    private var isHeadless = false

    /// The maximum length of a head, in bytes.
    private static let maximumHeadLength = 1 << 17

    /// Adds the next bytes.
    ///
    /// - Throws: `io`.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        guard head == nil, !isHeadless else { return try content.append(bytes) }
        let before = headBytes.count
        let searched = max(0, before - 3)
        headBytes.append(contentsOf: bytes)
        if Self.hasEmptyLine(headBytes[searched...]) {
            head = MessageHead(headBytes[...])
            guard head != nil else { return try endWithoutHead() }
        }
        if let head {
            headBytes.removeSubrange(head.length...)
            // Earlier bytes had no empty line, so the head ends in these.
            try content.append(UnsafeRawBufferPointer(rebasing: bytes[(head.length - before)...]))
        } else if headBytes.count > Self.maximumHeadLength {
            try endWithoutHead()
        }
    }

    /// Ends the message.
    mutating func finish() throws(ArchiveError) {
        if head == nil, !isHeadless { try endWithoutHead() }
        content.finish()
    }

    /// Returns whether a line of no bytes ends among the bytes: the head is parsed only then, so that it can come in pieces of any length.
    private static func hasEmptyLine(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            // A search for a sequence is generic, and took an eighth of an import.
            bytes.indices.contains { place in
                guard bytes[place] == 0x0A, place > 0 else { return false }
                return bytes[place - 1] == 0x0A || bytes[place - 1] == 0x0D && place > 1 && bytes[place - 2] == 0x0A
            }
        }
    }

    private mutating func endWithoutHead() throws(ArchiveError) {
        isHeadless = true
        try headBytes.withBytes { (bytes) throws(ArchiveError) in try content.append(bytes) }
        headBytes = []
    }

    /// Returns the head if it is not the serialised one of a start line.
    func oddHead(_ startLine: [UInt8]) -> [UInt8]? {
        guard let head else { return nil }
        return headBytes.elementsEqual(MessageHead.serialised(startLine, head.fields)) ? nil : headBytes
    }
}
