// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The syntax of the records of a WARC file. ISO 28500 section 4.
struct WARCSyntax: RecordSyntax {
    private static let mark = Array("WARC/".utf8)

    let maximumStartLength = mark.count

    func isStart(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.starts(with: Self.mark) }

    func head(_ bytes: ArraySlice<UInt8>, offset: UInt64) -> (head: RecordHead?, length: Int)? {
        guard let head = MessageHead(bytes) else { return nil }
        guard let length = Self.length(head.fields) else { return (nil, head.length) }
        let own = bytes.prefix(head.length)
        let version = String(decoding: head.startLine, as: UTF8.self)
        let isOdd = !own.elementsEqual(MessageHead.serialised(Array(version.utf8), head.fields))
        return (
            RecordHead(
                version: version, fields: head.fields,
                odd: isOdd ? Array(own) : [], blockLength: length, offset: offset), head.length
        )
    }

    private static func length(_ fields: HeaderFields) -> UInt64? {
        guard let text = fields.only(named: "Content-Length")?.value,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return UInt64(text)
    }
}
