// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The content of a message without codings, from an archive or a decoded copy.
struct HARContent {
    /// The length, in bytes.
    let length: UInt64
    private let stored: ArchiveBody
    private let copy: SpooledBody?

    init(_ body: ArchiveBody) { self.init(stored: body, copy: nil) }

    private init(stored: ArchiveBody, copy: SpooledBody?) {
        (length, self.stored, self.copy) = (copy?.length ?? stored.length, stored, copy)
    }

    /// Creates the content of a response; nil if it has no body.
    ///
    /// A body that was stored with its codings, as its fields claim, is decoded.
    ///
    /// - Parameter budget: the budget for decoding; beyond it content stays coded.
    init?(
        of entry: ArchiveEntry, _ response: ArchiveResponse, _ budget: InterchangeBudget
    ) throws(ArchiveError) {
        guard let body = try entry.body else { return nil }
        guard response.codings.isEmpty, response.headers["Content-Encoding"] != nil, body.length > 0 else {
            self.init(body)
            return
        }
        let spooled = SpooledBody()
        try body.forEachBuffer { bytes throws(ArchiveError) in try spooled.append(bytes) }
        spooled.finish()
        let content = try ReceivedContent(spooled, response.headers, charge: budget.decodeContent)
        self.init(stored: body, copy: content.body)
    }

    /// Calls a function with all bytes, piece by piece.
    func forEachBuffer(_ work: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void) throws(ArchiveError) {
        if let copy { try copy.forEachBuffer(work) } else { try stored.forEachBuffer(work) }
    }
}

/// The check whether content is text in UTF-8.
struct TextCheck {
    private(set) var isUTF8 = true
    private(set) var isASCII = true

    init(_ content: HARContent) throws(ArchiveError) {
        // The beginning of a character whose end is in the next piece.
        var carry: [UInt8] = []
        try content.forEachBuffer { bytes throws(ArchiveError) in
            guard isUTF8 else { return }
            if carry.isEmpty, bytes.allSatisfy({ $0 < 0x80 && $0 > 0 }) { return }
            isASCII = isASCII && bytes.allSatisfy { $0 < 0x80 }
            let all = carry + bytes
            let whole = all.count - Self.lengthOfUnfinished(all)
            // A zero byte is in no text, and in most other content.
            isUTF8 = !bytes.contains(0) && String(validating: all[..<whole], as: UTF8.self) != nil
            carry = Array(all[whole...])
        }
        isUTF8 = isUTF8 && carry.isEmpty
    }

    /// Returns the number of bytes at the end that begin a character and do not end it.
    private static func lengthOfUnfinished(_ bytes: [UInt8]) -> Int {
        for length in 1...3 where length <= bytes.count {
            let byte = bytes[bytes.count - length]
            guard byte & 0xC0 != 0x80 else { continue }
            let expected = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
            return expected > length ? length : 0
        }
        return 0
    }
}
