// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchive

/// A record that is made for a WARC file. Its block is the head of a message, a body, or both.
struct ComposedRecord {
    /// The identifier of the record, the same each time.
    let identifier: String
    /// The named fields.
    private(set) var fields: HeaderFields
    private let head: [UInt8]
    private let body: ArchiveBody?

    /// - Parameters:
    ///   - type: the value of `WARC-Type`.
    ///   - identity: the bytes of which the identifier is made, with the type.
    ///   - others: the fields after those for type, identifier and date, and before digests and length.
    init(
        _ type: String, date: String, identity: [UInt8], _ others: [(String, String)], head: [UInt8] = [],
        body: ArchiveBody? = nil
    ) {
        identifier = Self.identifier(Array(type.utf8) + [0x0A] + identity)
        fields = ["WARC-Type": type, "WARC-Record-ID": identifier, "WARC-Date": date]
        for (name, value) in others { fields.append(name: name, value: value) }
        (self.head, self.body) = (head, body)
    }

    /// Writes the record, up to the end of its block.
    ///
    /// - Parameter payload: whether the body is a payload, whose digest has a field.
    /// - Returns: the digest of the body, as a label.
    mutating func write(to output: RecordOutput, payload: Bool = false) throws(ArchiveError) -> String {
        var (blockHash, bodyHash) = (Insecure.SHA1(), Insecure.SHA1())
        blockHash.update(data: head)
        try body?.forEachBuffer { bytes throws(ArchiveError) in
            blockHash.update(bufferPointer: bytes)
            if payload { bodyHash.update(bufferPointer: bytes) }
        }
        let digest = Self.label(bodyHash.finalize())
        if payload { fields.append(name: "WARC-Payload-Digest", value: digest) }
        fields.append(name: "WARC-Block-Digest", value: Self.label(blockHash.finalize()))
        fields.append(name: "Content-Length", value: String(UInt64(head.count) + (body?.length ?? 0)))
        try output.write(head: fields)
        try output.write(head)
        if let body { try output.write(body) }
        return digest
    }

    /// Returns an identifier that is the same each time: a UUID of version 5 in form (RFC 9562 section 5.5).
    private static func identifier(_ name: [UInt8]) -> String {
        var bytes = Array(Insecure.SHA1.hash(data: name)).prefix(16)
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(bytes).hexadecimalDigits
        var text = ""
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { text.append("-") }
            text.append(digit)
        }
        return "<urn:uuid:\(text)>"
    }

    /// Returns a digest as a label: `sha1:` and Base32 (RFC 4648 section 6).
    private static func label(_ digest: Insecure.SHA1Digest) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var (text, bits, value) = ("sha1:", 0, 0)
        for byte in digest {
            (value, bits) = (value << 8 | Int(byte), bits + 8)
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[value >> bits & 31])
            }
            value &= 1 << bits - 1
        }
        return text
    }
}
