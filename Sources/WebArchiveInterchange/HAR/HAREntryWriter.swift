// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A writer of one entry of a HAR file.
struct HAREntryWriter {
    private let entry: ArchiveEntry
    private let json: JSONOutput
    private let budget: InterchangeBudget
    private let repeated: RepeatedBodies

    init(_ entry: ArchiveEntry, _ json: JSONOutput, _ budget: InterchangeBudget, _ repeated: RepeatedBodies) {
        (self.entry, self.json, self.budget, self.repeated) = (entry, json, budget, repeated)
    }

    /// - Parameters:
    ///   - response: the response; nil for a failed load.
    ///   - failure: the reason why there was no response.
    ///   - page: the identifier of the page of which this is the document; nil for none.
    func write(_ response: ArchiveResponse?, failure: String?, page: String?) throws(ArchiveError) {
        json.beginObject()
        try json.member("startedDateTime", .string(HARLog.text(entry.time)))
        try json.member("time", 0)
        try json.member("request")
        try writeRequest()
        try json.member("response")
        try writeResponse(response, failure)
        try json.member("cache", .object([]))
        try json.member("timings", .object(HARLog.members([("send", 0), ("wait", 0), ("receive", 0)])))
        if let address = response?.address, !address.isEmpty { try json.member("serverIPAddress", .string(address)) }
        if let page { try json.member("pageref", .string(page)) }
        json.endObject()
    }

    private func writeRequest() throws(ArchiveError) {
        let request = try entry.request
        let body = try entry.requestBody
        json.beginObject()
        try json.member("method", .string(request.method))
        try json.member("url", .string(request.url))
        try json.member("httpVersion", .string(request.version ?? ""))
        try json.member("cookies", [])
        try json.member("headers", Self.headers(request.headers))
        try json.member("queryString", Self.query(request.url))
        if let body {
            try repeated.charge(body)
            try json.member("postData")
            json.beginObject()
            try json.member("mimeType", .string(request.headers["Content-Type"] ?? ""))
            try json.member("params", [])
            try write(HARContent(body)) { $0.isUTF8 }
            json.endObject()
        }
        try json.member("headersSize", -1)
        try json.member("bodySize", .number(body?.length ?? 0))
        json.endObject()
    }

    private func writeResponse(_ response: ArchiveResponse?, _ failure: String?) throws(ArchiveError) {
        json.beginObject()
        try json.member("status", .number(response?.status ?? 0))
        try json.member("statusText", .string(response?.reason ?? ""))
        try json.member("httpVersion", .string(response?.version ?? ""))
        try json.member("cookies", [])
        try json.member("headers", Self.headers(response?.headers ?? []))
        try json.member("content")
        try writeContent(response)
        try json.member("redirectURL", .string(response?.headers["Location"] ?? response?.redirectTarget ?? ""))
        try json.member("headersSize", -1)
        try json.member("bodySize", receivedLength(response))
        if let failure { try json.member("_error", .string(failure)) }
        json.endObject()
    }

    /// Returns the length of the content as it was received; -1 where codings were removed from it, or the archive lacks it.
    private func receivedLength(_ response: ArchiveResponse?) throws(ArchiveError) -> JSONValue {
        guard let response, response.absentDigest == nil, response.codings.isEmpty else { return -1 }
        return .number(try entry.body?.length ?? 0)
    }

    private func writeContent(_ response: ArchiveResponse?) throws(ArchiveError) {
        json.beginObject()
        let type = response?.headers["Content-Type"] ?? response?.mediaType ?? "x-unknown"
        guard let response, response.absentDigest == nil else {
            try json.member("size", response == nil ? 0 : -1)
            try json.member("mimeType", .string(type))
            if let digest = response?.absentDigest, !digest.isEmpty {
                try json.member("_absentDigest", .string(digest))
            }
            return json.endObject()
        }
        if let body = try entry.body { try repeated.charge(body) }
        let content = try HARContent(of: entry, response, budget)
        try json.member("size", .number(content?.length ?? 0))
        try json.member("mimeType", .string(type))
        if let content {
            let mediaType = response.mediaType ?? ""
            let isText = MediaTypes.isCompressible(mediaType)
            // A reader of the file takes all text for UTF-8, even against the fields: see HARExchange.
            let isPlain = response.charset.map { $0 == "utf-8" } ?? !MediaTypes.isText(mediaType)
            try write(content) { check in isText && check.isUTF8 && (isPlain || check.isASCII) }
        }
        if let reason = response.truncation { try json.member("_truncated", .string(reason)) }
        json.endObject()
    }

    /// Writes content: as text, or else as Base64.
    private func write(_ content: HARContent, isText: (TextCheck) -> Bool) throws(ArchiveError) {
        if isText(try TextCheck(content)) {
            try json.member("text", text: content.forEachBuffer)
        } else {
            try json.member("text", base64: content.forEachBuffer)
            try json.member("encoding", "base64")
        }
    }

    // MARK: - Lists

    private static func headers(_ fields: HeaderFields) -> JSONValue {
        .array(
            fields.map { field in
                .object(HARLog.members([("name", text(field.nameBytes)), ("value", text(field.valueBytes))]))
            })
    }

    /// Returns bytes as text: those that are not UTF-8 as characters of Latin-1, as browsers do.
    private static func text(_ bytes: [UInt8]) -> JSONValue {
        // A value that continues in another line is one with blanks (RFC 9112 section 5.2).
        let line = bytes.filter { $0 != 0x0D }.map { $0 == 0x0A ? 0x20 : $0 }
        if let text = String(validating: line, as: UTF8.self) { return .string(text) }
        return .string(String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) })))
    }

    /// Returns the parameters of a URL (WHATWG URL, "application/x-www-form-urlencoded parsing").
    private static func query(_ url: String) -> JSONValue {
        let text = url.utf8.prefix { $0 != UInt8(ascii: "#") }
        guard let mark = text.firstIndex(of: UInt8(ascii: "?")) else { return [] }
        let parts = text[text.index(after: mark)...].split(separator: UInt8(ascii: "&"))
        return .array(
            parts.map { part in
                let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                return .object(
                    HARLog.members([
                        ("name", .string(decoded(pair[0]))),
                        ("value", .string(pair.count > 1 ? decoded(pair[1]) : "")),
                    ]))
            })
    }

    private static func decoded(_ part: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        PercentEncoding.appendDecoded(part.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }[...], to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
