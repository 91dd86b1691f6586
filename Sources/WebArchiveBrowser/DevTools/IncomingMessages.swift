// SPDX-License-Identifier: Apache-2.0

/// The messages from a browser, put together from the bytes of a pipe, in which each ends with a NUL.
///
/// A page controls the length of some: they contain its URL and the text of a dialog. The long strings of a long message are left out; the
/// rest identifies the event.
struct IncomingMessages {
    /// A message, or its beginning.
    enum Message: Equatable {
        /// A JSON text. From ``maximumLength`` on, strings beyond ``maximumStringLength`` are empty in it.
        case whole([UInt8])
        /// The first ``beginningLength`` bytes of a message that is too long without such strings as well.
        case beginning([UInt8])
    }

    /// The length in bytes from which strings are left out, and beyond which a message is too long without them.
    static let maximumLength = 4 << 20
    /// The length in bytes of the longest string, as it is spelled, that a long message keeps.
    static let maximumStringLength = 1 << 10
    /// Enough for the number of a response, with which Chromium begins it.
    static let beginningLength = 64

    private var pending: [UInt8] = []
    /// Nil while the message is short.
    private var shortening: Shortening?
    private var isTooLong = false

    /// Takes the next bytes, and gives the messages that end in them, in their order.
    mutating func add(_ bytes: ArraySlice<UInt8>) -> [Message] {
        var messages: [Message] = []
        var rest = bytes
        while let end = rest.firstIndex(of: 0) {
            append(rest[..<end])
            messages.append(isTooLong ? .beginning(pending) : .whole(pending))
            pending.removeAll(keepingCapacity: shortening == nil)
            (shortening, isTooLong) = (nil, false)
            rest = rest[(end + 1)...]
        }
        append(rest)
        return messages
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard !isTooLong else { return }
        if shortening != nil {
            shortening?.append(bytes, to: &pending)
        } else {
            pending += bytes
            guard pending.count >= Self.maximumLength else { return }
            var shortening = Shortening()
            var short: [UInt8] = []
            shortening.append(pending[...], to: &short)
            (pending, self.shortening) = (short, shortening)
        }
        if pending.count >= Self.maximumLength {
            isTooLong = true
            pending = Array(pending.prefix(Self.beginningLength))
        }
    }

    /// A copying of a JSON text without its long strings (RFC 8259, section 7).
    private struct Shortening {
        /// The length of the copy up to the contents of the string that is under way; nil outside of strings.
        private var start: Int?
        private var isEscaped = false
        private var isLeftOut = false

        mutating func append(_ bytes: ArraySlice<UInt8>, to copy: inout [UInt8]) {
            for byte in bytes {
                guard let start else {
                    copy.append(byte)
                    if byte == UInt8(ascii: "\"") { (self.start, isLeftOut) = (copy.count, false) }
                    continue
                }
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    self.start = nil
                    copy.append(byte)
                    continue
                }
                guard !isLeftOut else { continue }
                copy.append(byte)
                if copy.count - start > IncomingMessages.maximumStringLength {
                    copy.removeSubrange(start...)
                    isLeftOut = true
                }
            }
        }
    }
}
