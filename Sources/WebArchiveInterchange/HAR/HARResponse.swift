// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The response of an entry of a HAR file.
struct HARResponse {
    private(set) var response: ArchiveResponse
    /// The content, finished; nil if the file lacks it.
    private(set) var body: SpooledBody?
    /// The head as the file has it; nil if it is the serialised one of the response.
    private(set) var originalHead: [UInt8]?

    /// - Parameter charge: a function that is called with the number of bytes to which content decodes.
    /// - Throws: `damaged`; `io`.
    init(
        _ entry: HAREntry, method: String, url: String, status: Int, charge: (Int) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let (message, content) = (entry.response, entry.response["content"] ?? .object([]))
        let received = try HARMessages.fields(message)
        let version = HARMessages.version(message)
        let reason = message["statusText"]?.text ?? ""
        body = try entry.responseContent.mapTyped { text throws(ArchiveError) in
            try HARMessages.bytes(text, encoding: content["encoding"])
        }
        // Some programs write an empty text where they have none.
        if body?.length == 0, let size = content["size"]?.wholeNumber, size > 0 { body = nil }
        if let messages = entry.messages, (body?.length ?? 0) == 0 { body = messages }
        // The browser took the content from its cache, so it is that of the response that was confirmed.
        let isConfirmed = status == 304 && (body?.length ?? 0) > 0
        var fields = received
        let contentType = received["Content-Type"] ?? content["mimeType"]?.text.flatMap { $0 == "x-unknown" ? nil : $0 }
        let isWithoutFields = received.isEmpty
        if let contentType, isConfirmed || isWithoutFields, received["Content-Type"] == nil {
            fields.append(name: "Content-Type", value: contentType)
        }
        let (mediaType, charset) = ContentTypeValue.parts(of: contentType ?? "")
        let isText = content["encoding"]?.text?.asciiLowercased != "base64"
        if let text = entry.responseContent, isText, !text.isASCII, MediaTypes.isText(mediaType ?? "") {
            fields = Self.withUTF8(fields, mediaType: mediaType)
        }
        response = ArchiveResponse(
            status: isConfirmed ? 200 : status, reason: isConfirmed ? "OK" : reason, headers: fields,
            mediaType: mediaType, address: Self.address(entry.members["serverIPAddress"]))
        response.version = version
        response.isDerived = isWithoutFields && !fields.isEmpty
        if isConfirmed || fields != received {
            originalHead = MessageHead.serialised(
                StatusLine.bytes(version: version, status: status, reason: Array(reason.utf8)), received)
        }
        if let target = message["redirectURL"]?.text, !target.isEmpty, received["Location"] == nil,
            ArchiveResponse.redirectStatuses.contains(status)
        {
            response.redirectTarget = (try? CanonicalURL(url).resolving(target))?.description
        }
        try setContent(method, content, message, charge)
        if let body, isTruncated(body, content, charset: isText ? charset : "utf-8") {
            response.truncation = "length"
        }
        if body != nil, let reason = content["_truncated"]?.text, !reason.isEmpty { response.truncation = reason }
    }

    /// Returns whether content is shorter than the file says it was on its way.
    ///
    /// - Parameter charset: the charset in which it was on its way; nil for an unknown one.
    private func isTruncated(_ body: SpooledBody, _ content: JSONValue, charset: String?) -> Bool {
        // A size of coded content says nothing.
        guard response.codings.isEmpty, let size = content["size"]?.wholeNumber, size > 0 else { return false }
        // Browsers remove a byte order mark from text. UTF-16 has up to two bytes for each of UTF-8, ISO-2022 more with its escapes.
        return switch charset {
        case "utf-8": body.length.addingSaturated(3) < UInt64(size)
        case nil: body.length.multipliedSaturated(by: 2).addingSaturated(2) < UInt64(size)
        case let name?:
            !name.hasPrefix("utf-16") && !name.hasPrefix("iso-2022") && body.length.addingSaturated(3) < UInt64(size)
        }
    }

    /// Sets the body and its codings.
    private mutating func setContent(
        _ method: String, _ content: JSONValue, _ message: JSONValue,
        _ charge: (Int) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let claims = [content["size"], message["bodySize"]].map { $0?.wholeNumber } + [length]
        if let body {
            response.codings = Self.codings(response.headers)
            // Some programs write content as they received it.
            if isCoded(body) { self.body = try ReceivedContent(body, response.headers, charge: charge).body }
        } else if method == "HEAD" || status(in: 100..<200) || response.status == 204 {
            body = try SpooledBody([])
        } else if response.status == 304 {
            response.absentDigest = ""
        } else if status(in: 300..<400), response.headers["Location"] != nil || response.redirectTarget != nil {
            // A client follows it without reading it.
            body = try SpooledBody([])
        } else if content["size"]?.wholeNumber == 0, !claims.contains(where: { $0 ?? 0 > 0 }) {
            body = try SpooledBody([])
        } else {
            response.absentDigest = ""
        }
        if response.absentDigest != nil, let digest = content["_absentDigest"]?.text { response.absentDigest = digest }
    }

    private func status(in range: Range<Int>) -> Bool { range.contains(response.status) }

    /// The length that the fields claim.
    private var length: Int? { response.headers["Content-Length"].flatMap { Int($0) } }

    /// Returns the codings that a browser removed: the known ones that the fields claim, in the order of their application.
    private static func codings(_ fields: HeaderFields) -> [String] {
        func names(_ field: String, _ known: (String) -> Bool) -> [String] {
            fields.values(named: field).flatMap { $0.split(separator: ",") }.prefix(8)
                .map { String($0.trimmingOptionalWhitespace).asciiLowercased }.filter(known)
        }
        return names("Content-Encoding") { Coding(name: $0) != nil || ["compress", "dcb", "dcz"].contains($0) }
            + names("Transfer-Encoding") { $0 == "chunked" }
    }

    /// Returns whether content still has the coding that its fields claim.
    private func isCoded(_ body: SpooledBody) -> Bool {
        guard let name = response.headers.only(named: "Content-Encoding")?.value, body.length > 4,
            ![.some("application/gzip"), "application/x-gzip", "application/zstd"].contains(response.mediaType),
            let start = try? body.bytes(in: 0..<4)
        else { return false }
        switch Coding(name: name) {
        case .gzip: return start.starts(with: [0x1F, 0x8B, 8])
        case .zstd: return start == [0x28, 0xB5, 0x2F, 0xFD]
        default: return false
        }
    }

    /// Returns fields whose content type has a charset of UTF-8.
    private static func withUTF8(_ fields: HeaderFields, mediaType: String?) -> HeaderFields {
        if let type = fields["Content-Type"], ContentTypeValue.parts(of: type).charset == "utf-8" { return fields }
        var changed: [HeaderField] = []
        var isSet = false
        for field in fields {
            guard field.isNamed("Content-Type") else {
                changed.append(field)
                continue
            }
            if !isSet, let mediaType {
                changed.append(
                    HeaderField(
                        nameBytes: field.nameBytes, valueBytes: Array("\(mediaType); charset=utf-8".utf8)))
            }
            isSet = true
        }
        var result = HeaderFields(changed)
        if !isSet, let mediaType { result.append(name: "Content-Type", value: "\(mediaType); charset=utf-8") }
        return result
    }

    /// Returns an address without the brackets that browsers put around one of IPv6.
    private static func address(_ value: JSONValue?) -> String? {
        guard let text = value?.text, !text.isEmpty, text.utf8.count <= 64 else { return nil }
        return text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    }
}
