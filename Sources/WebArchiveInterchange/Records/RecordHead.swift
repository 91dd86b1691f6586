// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The head of a record, in the words of a WARC file. ISO 28500 section 4.
struct RecordHead {
    /// The version, such as `WARC/1.0`.
    let version: String
    /// The named fields.
    let fields: HeaderFields
    /// The bytes of the head as they were; empty if they are the serialised head.
    let odd: [UInt8]
    /// The length of the block, in bytes.
    let blockLength: UInt64
    /// The offset in the file at which the record begins, or in a compressed file one shortly after it.
    let offset: UInt64

    /// The type, in lower case: `response`, say; empty without one.
    var type: String { fields["WARC-Type"]?.asciiLowercased ?? "" }
    /// The URL, without the angle brackets that some writers put around it.
    var target: String? {
        guard let text = fields["WARC-Target-URI"] else { return nil }
        return text.hasPrefix("<") && text.hasSuffix(">") ? String(text.dropFirst().dropLast()) : text
    }
}
