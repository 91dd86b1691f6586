// SPDX-License-Identifier: Apache-2.0

import WebArchive

extension HTTPTestResponse {
    /// The response that is sent: 304 if the client has the content already, a part if it requests one.
    func answering(_ request: HTTPTestRequest) -> Self {
        guard status == 200, ["GET", "HEAD"].contains(request.method) else { return self }
        if isConditional, isKnown(to: request) {
            return with { response in
                response.status = 304
                response.body = .empty
                for name in ["Content-Type", "Content-Length", "Content-Encoding"] {
                    response.fields.removeAll(named: name)
                }
            }
        }
        if hasRanges, request.method == "GET", let field = request.fields["Range"] { return part(field) }
        return self
    }

    /// RFC 9110 section 13.2.2, with `Last-Modified` compared as a text.
    private func isKnown(to request: HTTPTestRequest) -> Bool {
        if let field = request.fields["If-None-Match"] {
            guard let tag = fields["ETag"] else { return false }
            let known = field.split(separator: ",").map { Self.opaque($0.drop { $0 == " " }) }
            return field == "*" || known.contains(Self.opaque(tag[...]))
        }
        return fields["Last-Modified"].map { $0 == request.fields["If-Modified-Since"] } ?? false
    }

    /// An entity tag without its mark of weakness.
    private static func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }

    /// One range; all else gets the whole (RFC 9110 section 14.2).
    private func part(_ field: String) -> Self {
        guard field.hasPrefix("bytes="), !field.contains(",") else { return self }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return self }
        let range: Range<Int>
        switch (Int(ends[0]), Int(ends[1])) {
        case (let first?, let last?) where first <= last: range = min(first, body.count)..<min(last &+ 1, body.count)
        case (let first?, nil) where ends[1].isEmpty: range = min(first, body.count)..<body.count
        case (nil, let suffix?) where ends[0].isEmpty: range = max(0, body.count - suffix)..<body.count
        default: return self
        }
        return with { response in
            guard !range.isEmpty else {
                response.status = 416
                response.body = .empty
                response.fields.set(name: "Content-Range", value: "bytes */\(body.count)")
                return
            }
            response.status = 206
            response.fields.set(
                name: "Content-Range", value: "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)")
            response.body = HTTPTestBody(body.bytes(range))
        }
    }
}
