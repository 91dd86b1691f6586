// SPDX-License-Identifier: Apache-2.0

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
            if type == "warcinfo" || type == "revisit" && !RevisitProfile.isUpdate(headers) { continue }
            // A reader could take another name, such as one with a blank, for that of the length.
            var fields = headers.filter { FieldText.isToken($0.nameBytes) && !$0.isNamed("Content-Length") }
            fields.append(HeaderField(name: "Content-Length", value: String(block.length)))
            try output.write(head: HeaderFields(fields))
            try output.write(block)
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
        var record = ComposedRecord(
            "warcinfo", date: Self.date(nil), identity: block, [("Content-Type", "application/warc-fields")],
            head: block)
        _ = try record.write(to: output)
        try output.endBlock()
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
        var written = WrittenRecord(url: url, time: try entry.time)
        written.status = response.status
        written.request = try request(of: entry)
        let responseID: String
        let original = body.flatMap { $0.length > 0 ? originals[$0.number] : nil }
        if let digest = original?.payloadDigest ?? response.absentDigest {
            if !digest.isEmpty { fields.append(("WARC-Payload-Digest", digest)) }
            fields.append(("WARC-Profile", RevisitProfile.samePayload))
            if let original {
                fields += [("WARC-Refers-To-Target-URI", original.url), ("WARC-Refers-To-Date", original.date)]
            }
            var record = ComposedRecord("revisit", date: date, identity: identity, fields, head: head)
            _ = try record.write(to: output)
            responseID = record.identifier
            (written.mediaType, written.digest) = (Self.revisitType, digest)
        } else {
            var record = ComposedRecord("response", date: date, identity: identity, fields, head: head, body: body)
            let digest = try record.write(to: output, payload: true)
            responseID = record.identifier
            // Readers find an original by URL and date, as the response to a GET.
            if let body, response.truncation == nil, try entry.method == "GET" {
                originals[body.number] = Original(url: url, date: date, payloadDigest: digest)
            }
            (written.mediaType, written.digest) = (headers["Content-Type"].map(Self.essence), digest)
        }
        try output.endBlock(written)
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
        let (url, type) = (try entry.url, response.headers["Content-Type"] ?? "application/octet-stream")
        var record = ComposedRecord(
            "resource", date: date, identity: identity, [("WARC-Target-URI", url), ("Content-Type", type)], body: body)
        var written = WrittenRecord(url: url, time: try entry.time)
        (written.mediaType, written.digest) = (Self.essence(type), try record.write(to: output, payload: true))
        try output.endBlock(written)
    }

    private func writeRequest(
        _ entry: ArchiveEntry, _ url: String, _ date: String, _ responseID: String
    ) throws(ArchiveError) {
        let request = try entry.request
        let body = try entry.requestBody
        guard request.method != "GET" || !request.headers.isEmpty || body != nil else { return }
        let line = RequestLine.bytes(
            method: request.method, url: request.url, version: Self.version(request.version))
        var record = ComposedRecord(
            "request", date: date, identity: Array("\(responseID)\nrequest".utf8),
            [
                ("WARC-Target-URI", url), ("Content-Type", "application/http; msgtype=request"),
                ("WARC-Concurrent-To", responseID),
            ],
            head: MessageHead.serialised(line.withoutLineEnds, request.headers.withoutLineEnds), body: body)
        _ = try record.write(to: output)
        try output.endBlock()
    }

    /// Returns the version for a start line, which other versions of HTTP do not have; readers of WARC files refuse such lines.
    private static func version(_ version: String?) -> String? {
        version.flatMap { $0.utf8.starts(with: "HTTP/1.".utf8) ? $0 : nil }
    }

    private static func date(_ time: ArchiveTime?) -> String {
        Timestamp.text(time ?? .unknownInExports)
    }
}

extension ArchiveTime {
    /// The time in files that must have one, for an unknown time: the start of 1970.
    static let unknownInExports = ArchiveTime(nanoseconds: 1)!  // Only 0 is not a moment.
}
