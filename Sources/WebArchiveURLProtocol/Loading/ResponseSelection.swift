// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A selection of a stored response by a request: all of it, a part, only its fields, or a 304.
/// RFC 9110 sections 9.3.2, 13, 14 and 15.4.5.
struct ResponseSelection {
    private let request: URLRequest
    private let stored: ArchiveResponse
    private let body: HopResponse.Body?
    private let responses: PreparedResponses

    init(request: URLRequest, _ hop: HopResponse, _ responses: PreparedResponses) {
        self.request = request
        stored = hop.response
        body = hop.body
        self.responses = responses
    }

    /// Loads the selected part.
    ///
    /// - Throws: `damaged` or `io` if the body cannot be read.
    func loaded() throws(ArchiveError) -> LoadedResponse {
        let length = body?.length ?? 0
        let method = request.httpMethod ?? "GET"
        guard stored.status == 200, method == "GET" || method == "HEAD",
            // Most requests have none at all, and so neither conditions nor ranges.
            request.allHTTPHeaderFields?.isEmpty == false
        else { return try whole(method) }
        let conditions = Preconditions(
            entityTag: stored.headers["ETag"], modified: stored.headers["Last-Modified"].flatMap(FieldDate.nanoseconds))
        let range = method == "GET" ? request.value(forHTTPHeaderField: "Range") : nil
        switch RepresentationSelection(conditions, length: length, range: range, field: value) {
        case .preconditionFailed:
            return try loaded(412, ["Content-Length": "0"], 0..<0, method)
        case .notModified:
            return try loaded(304, notModified, 0..<0, method)
        case .ranges(let ranges) where ranges.isEmpty:
            return try loaded(416, ["Content-Range": "bytes */\(length)", "Content-Length": "0"], 0..<0, method)
        case .ranges(let ranges) where ranges.count == 1:
            var fields = fields(UInt64(ranges[0].count))
            fields.set(
                name: "Content-Range", value: "bytes \(ranges[0].lowerBound)-\(ranges[0].upperBound - 1)/\(length)")
            return try loaded(206, fields, ranges[0], method)
        case .whole, .ranges:
            // A server may respond to several ranges with the whole (section 14.2).
            return try whole(method)
        }
    }

    private func whole(_ method: String) throws(ArchiveError) -> LoadedResponse {
        let length = body?.length ?? 0
        let response = try responses.response(try url(), stored, bodyLength: body?.length) {
            () throws(ArchiveError) in try self.response(stored.status, fields(length))
        }
        return try loaded(response, 0..<length, method)
    }

    private func value(_ field: Preconditions.Field) -> String? { request.value(forHTTPHeaderField: field.rawValue) }

    /// The fields of a 304 (section 15.4.5).
    private var notModified: HeaderFields {
        let names = RepresentationSelection.notModifiedFields
        return HeaderFields(stored.headers.filter { names.contains($0.name.asciiLowercased) })
    }

    /// Returns the fields with the length of the sent content. The response to a `HEAD`, and one without content, describe a body that they
    /// do not have.
    private func fields(_ length: UInt64) -> HeaderFields {
        guard body == nil else { return stored.headers(forBodyOfLength: length) }
        var fields = stored.headers
        for name in stored.codings.isEmpty ? [] : ["Content-Encoding", "Transfer-Encoding"] {
            fields.removeAll(named: name)
        }
        return fields
    }

    private func loaded(
        _ status: Int, _ fields: HeaderFields, _ range: Range<UInt64>, _ method: String
    ) throws(ArchiveError) -> LoadedResponse { try loaded(response(status, fields), range, method) }

    private func loaded(
        _ response: HTTPURLResponse, _ range: Range<UInt64>, _ method: String
    ) throws(ArchiveError) -> LoadedResponse {
        // RFC 9110 section 6.4.1.
        let isWithoutBody = method == "HEAD" || [204, 304].contains(response.statusCode) || range.isEmpty
        let isWhole = range == 0..<(body?.length ?? 0)
        let data =
            isWithoutBody
            ? nil : try body.mapTyped { (body) throws(ArchiveError) in try body.data(in: isWhole ? nil : range) }
        return LoadedResponse(response: response, body: data ?? Data())
    }

    private func url() throws(ArchiveError) -> URL {
        guard let url = request.url else { throw ArchiveError(.invalidArgument, "the request has no URL") }
        return url
    }

    private func response(_ status: Int, _ fields: HeaderFields) throws(ArchiveError) -> HTTPURLResponse {
        let url = try url()
        guard
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: LoadingPlatform.deliverable(fields, status: status).joined)
        else { throw ArchiveError(.invalidArgument, "cannot create an HTTP response with status \(status)") }
        return response
    }
}

extension HeaderFields {
    /// The maximum length of delivered fields; servers and browsers have far lower limits.
    private static var maximumJoinedLength: Int { 256 << 10 }

    /// The fields with one value for each name, as Foundation requires; values of one name are joined by commas (RFC 9110 section 5.3), under
    /// the first spelling.
    ///
    /// Fields that HTTP does not permit (section 5.1, 5.5), which only a hostile archive has, are left out, and so are those beyond the limit.
    var joined: [String: String] {
        var values: [String: (name: String, values: [String])] = [:]
        var length = 0
        for field in self where FieldText.isToken(field.nameBytes) && FieldText.isValue(field.valueBytes) {
            length += field.nameBytes.count + field.valueBytes.count
            guard length <= Self.maximumJoinedLength else { break }
            values[field.name.asciiLowercased, default: (field.name, [])].values.append(field.value)
        }
        return Dictionary(uniqueKeysWithValues: values.values.map { ($0.name, $0.values.joined(separator: ", ")) })
    }
}
