// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchive
import WebArchivePresentation

/// The records that represent the entries of an archive, in the order of their keys.
struct ExportedRecords {
    private let archive: ArchiveReader
    private let output: RecordOutput
    /// The first record of each body, by the number of the body.
    private var originals: [Int: Original] = [:]

    private struct Original {
        let url: String
        let date: String
        let payloadDigest: String
    }

    init(_ archive: ArchiveReader, _ output: RecordOutput) { (self.archive, self.output) = (archive, output) }

    /// Writes all records.
    mutating func run() throws(ArchiveError) {
        try writeInformation()
        try archive.limitedToOneConversion().forEachEntry { entry throws(ArchiveError) in
            let role = try entry.role
            if role.isServed || role == .withoutBody, let response = try entry.response { try write(entry, response) }
            return true
        }
        let archive = archive.limitedToOneConversion()
        for number in 0..<archive.recordCount {
            let stored = archive.record(number)
            guard try stored.exchange == nil, let block = try stored.block else { continue }
            let headers = try stored.record.headers
            let type = headers["WARC-Type"]?.asciiLowercased
            // That of the source would name another file. Revisits are entries, except updates of responses.
            let isUpdate = headers["WARC-Profile"]?.contains("server-not-modified") == true
            if type == "warcinfo" || type == "revisit" && !isUpdate { continue }
            var fields = headers.filter { $0.name.asciiLowercased != "content-length" }
            fields.append(HeaderField(name: "Content-Length", value: String(block.length)))
            try output.write(head: HeaderFields(fields))
            try block.forEachBuffer(output.write)
            try output.endBlock(Self.description(headers, type))
        }
    }

    /// Describes a record that is neither of a request nor of a response; nil if it belongs into no index.
    private static func description(_ headers: HeaderFields, _ type: String?) -> WrittenRecord? {
        guard let url = headers["WARC-Target-URI"], let time = headers["WARC-Date"].flatMap(Timestamp.nanoseconds),
            let type, ["metadata", "resource", "response", "revisit"].contains(type)
        else { return nil }
        let mediaType = type == "revisit" ? revisitType : headers["Content-Type"].map(essence)
        guard mediaType != "application/warc-fields" else { return nil }
        var record = WrittenRecord(
            url: url.hasPrefix("<") && url.hasSuffix(">") ? String(url.dropFirst().dropLast()) : url,
            time: ArchiveTime(nanoseconds: time))
        (record.mediaType, record.digest) = (mediaType, headers["WARC-Payload-Digest"])
        return record
    }

    /// The media type of a revisit in an index.
    private static let revisitType = "warc/revisit"

    /// Returns a media type without its parameters, as indexes have it.
    private static func essence(_ type: String) -> String {
        String(type.trimmingOptionalWhitespace.prefix { $0 != ";" && !$0.isWhitespace })
    }

    private func writeInformation() throws(ArchiveError) {
        var lines = ["software: webarc", "format: WARC File Format 1.1"]
        for (name, field) in [("title", "title"), ("creator", "operator"), ("description", "description")] {
            if let value = try archive.metadata()[name] {
                lines.append("\(field): \(value.split(whereSeparator: \.isNewline).joined(separator: " "))")
            }
        }
        let block = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
        let fields = Self.fields(
            "warcinfo", date: Self.date(nil), identity: block, [("Content-Type", "application/warc-fields")])
        try write(fields, block)
    }

    private mutating func write(_ entry: ArchiveEntry, _ response: ArchiveResponse) throws(ArchiveError) {
        let (url, date) = (try entry.url, Self.date(try entry.time))
        let body = try entry.body
        let line = StatusLine.bytes(
            version: Self.version(response.version), status: response.status, reason: response.reasonBytes
        ).withoutLineEnds
        // The fields of the codings that the body does not have any more would be wrong.
        let headers = response.codings.isEmpty ? response.headers : response.headers(forBodyOfLength: body?.length ?? 0)
        let head = MessageHead.serialised(line, headers.withoutLineEnds)
        // With the number of the record, for several entries can be equal.
        let identity = Array("\(try entry.key)\n\(date)\n\(body?.digest.description ?? "")\n\(output.count)".utf8)
        if response.isDerived, let body, try !entry.keyBytes.starts(with: "http".utf8) {
            return try writeResource(entry, date, response, body, identity)
        }
        var fields = [("WARC-Target-URI", url), ("Content-Type", "application/http; msgtype=response")]
        if let address = response.address { fields.append(("WARC-IP-Address", address)) }
        if let reason = response.truncation { fields.append(("WARC-Truncated", reason)) }
        let responseID: String
        var record = WrittenRecord(url: url, time: try entry.time)
        record.status = response.status
        record.request = try request(of: entry)
        let original = body.flatMap { $0.length > 0 ? originals[$0.number] : nil }
        if let digest = original?.payloadDigest ?? response.absentDigest {
            if !digest.isEmpty { fields.append(("WARC-Payload-Digest", digest)) }
            fields.append(("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"))
            if let original {
                fields += [("WARC-Refers-To-Target-URI", original.url), ("WARC-Refers-To-Date", original.date)]
            }
            let all = Self.fields("revisit", date: date, identity: identity, fields, block: head)
            responseID = all["WARC-Record-ID"] ?? ""
            (record.mediaType, record.digest) = (Self.revisitType, digest)
            try write(all, head, record)
        } else {
            var (block, payload) = (Insecure.SHA1(), Insecure.SHA1())
            block.update(data: head)
            try body?.forEachBuffer { bytes throws(ArchiveError) in
                block.update(bufferPointer: bytes)
                payload.update(bufferPointer: bytes)
            }
            let digest = Self.label(payload.finalize())
            // Readers find an original by URL and date, as the response to a GET.
            if let body, response.truncation == nil, try entry.method == "GET" {
                originals[body.number] = Original(url: url, date: date, payloadDigest: digest)
            }
            fields += [("WARC-Payload-Digest", digest), ("WARC-Block-Digest", Self.label(block.finalize()))]
            var all = Self.fields("response", date: date, identity: identity, fields)
            all.append(name: "Content-Length", value: String(UInt64(head.count) + (body?.length ?? 0)))
            responseID = all["WARC-Record-ID"] ?? ""
            try output.write(head: all)
            try output.write(head)
            try body?.forEachBuffer(output.write)
            (record.mediaType, record.digest) = (headers["Content-Type"].map(Self.essence), digest)
            try output.endBlock(record)
        }
        try writeRequest(entry, url, date, responseID)
    }

    /// Returns the request of an entry for an index; nil for a GET.
    private func request(of entry: ArchiveEntry) throws(ArchiveError) -> (method: String, query: String)? {
        let request = try entry.request
        guard output.isObserved, request.method != "GET" else { return nil }
        guard let body = try entry.requestBody else { return (request.method, "") }
        let start = try body.bytes(in: 0..<min(body.length, RequestQuery.maximumBodyLength))
        return (request.method, RequestQuery.text(of: start, type: request.headers["Content-Type"] ?? ""))
    }

    /// Writes a file that no server sent.
    private func writeResource(
        _ entry: ArchiveEntry, _ date: String, _ response: ArchiveResponse, _ body: ArchiveBody, _ identity: [UInt8]
    ) throws(ArchiveError) {
        let url = try entry.url
        var hash = Insecure.SHA1()
        try body.forEachBuffer { bytes throws(ArchiveError) in hash.update(bufferPointer: bytes) }
        let digest = Self.label(hash.finalize())
        var fields = Self.fields(
            "resource", date: date, identity: identity,
            [
                ("WARC-Target-URI", url),
                ("Content-Type", response.headers["Content-Type"] ?? "application/octet-stream"),
                ("WARC-Payload-Digest", digest), ("WARC-Block-Digest", digest),
            ])
        fields.append(name: "Content-Length", value: String(body.length))
        try output.write(head: fields)
        try body.forEachBuffer(output.write)
        var record = WrittenRecord(url: url, time: try entry.time)
        (record.mediaType, record.digest) = (fields["Content-Type"].map(Self.essence), digest)
        try output.endBlock(record)
    }

    private func writeRequest(
        _ entry: ArchiveEntry, _ url: String, _ date: String, _ responseID: String
    ) throws(ArchiveError) {
        let request = try entry.request
        let body = try entry.requestBody
        guard request.method != "GET" || !request.headers.isEmpty || body != nil else { return }
        let line = RequestLine.bytes(
            method: request.method, url: request.url, version: Self.version(request.version))
        let head = MessageHead.serialised(line.withoutLineEnds, request.headers.withoutLineEnds)
        var hash = Insecure.SHA1()
        hash.update(data: head)
        try body?.forEachBuffer { bytes throws(ArchiveError) in hash.update(bufferPointer: bytes) }
        var fields = Self.fields(
            "request", date: date, identity: Array("\(responseID)\nrequest".utf8),
            [
                ("WARC-Target-URI", url), ("Content-Type", "application/http; msgtype=request"),
                ("WARC-Concurrent-To", responseID), ("WARC-Block-Digest", Self.label(hash.finalize())),
            ])
        fields.append(name: "Content-Length", value: String(UInt64(head.count) + (body?.length ?? 0)))
        try output.write(head: fields)
        try output.write(head)
        try body?.forEachBuffer(output.write)
        try output.endBlock()
    }

    private func write(
        _ fields: HeaderFields, _ block: [UInt8], _ record: WrittenRecord? = nil
    ) throws(ArchiveError) {
        try output.write(head: fields)
        try output.write(block)
        try output.endBlock(record)
    }

    /// Returns the version for a start line, which other versions of HTTP do not have; readers of WARC files refuse such lines.
    private static func version(_ version: String?) -> String? {
        version.flatMap { $0.utf8.starts(with: "HTTP/1.".utf8) ? $0 : nil }
    }

    // MARK: - Fields

    /// Returns the fields of a record; with a block in memory its digest and its length as well.
    private static func fields(
        _ type: String, date: String, identity: [UInt8], _ others: [(String, String)], block: [UInt8]? = nil
    ) -> HeaderFields {
        var fields = HeaderFields()
        fields.append(name: "WARC-Type", value: type)
        fields.append(name: "WARC-Record-ID", value: identifier(Array(type.utf8) + [0x0A] + identity))
        fields.append(name: "WARC-Date", value: date)
        for (name, value) in others { fields.append(name: name, value: value) }
        let block = block ?? (type == "warcinfo" ? identity : nil)
        guard let block else { return fields }
        fields.append(name: "WARC-Block-Digest", value: label(Insecure.SHA1.hash(data: block)))
        fields.append(name: "Content-Length", value: String(block.count))
        return fields
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

    private static func date(_ time: ArchiveTime?) -> String {
        Timestamp.text(time ?? .unknownInExports)
    }
}

extension ArchiveTime {
    /// The time in files that must have one, for an unknown time: the start of 1970.
    static let unknownInExports = ArchiveTime(nanoseconds: 1)!  // Only 0 is not a moment.
}
