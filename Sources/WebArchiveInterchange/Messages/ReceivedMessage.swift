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
        let searched = max(0, headBytes.count - 3)
        headBytes.append(contentsOf: bytes)
        if Self.hasEmptyLine(headBytes[searched...]) {
            head = MessageHead(headBytes[...])
            guard head != nil else { return try endWithoutHead() }
        }
        if let head {
            let rest = headBytes[head.length...]
            headBytes.removeSubrange(head.length...)
            try Array(rest).withBytes { (bytes) throws(ArchiveError) in try content.append(bytes) }
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
        bytes.firstRange(of: [0x0A, 0x0A]) != nil || bytes.firstRange(of: [0x0A, 0x0D, 0x0A]) != nil
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
