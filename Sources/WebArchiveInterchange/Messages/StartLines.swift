// SPDX-License-Identifier: Apache-2.0

/// A status line (RFC 9112 section 4), read leniently.
package struct StatusLine {
    package let version: String
    package let status: Int
    package let reason: [UInt8]

    /// - Returns: nil unless the line has a version of HTTP and a status from 100 to 999.
    package init?(_ line: [UInt8]) {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, let version = String(httpVersion: parts[0]), parts[1].count == 3,
            let status = Int(String(decoding: parts[1], as: UTF8.self)), (100...999).contains(status)
        else { return nil }
        (self.version, self.status) = (version, status)
        reason = parts.count > 2 ? Array(parts[2]) : []
    }

    /// Returns the status line of a serialised head: specification section 7.1.
    package static func bytes(version: String?, status: Int, reason: [UInt8]) -> [UInt8] {
        Array("\(version ?? "HTTP/1.1") \(status) ".utf8) + reason
    }
}

/// A request line (RFC 9112 section 3), read leniently.
struct RequestLine {
    let method: String
    let version: String

    /// - Returns: nil unless the line has a method, a target and a version of HTTP.
    init?(_ line: [UInt8]) {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, (1...64).contains(parts[0].count), parts[0].allSatisfy({ (0x21...0x7E).contains($0) }),
            let version = String(httpVersion: parts[2])
        else { return nil }
        (method, self.version) = (String(decoding: parts[0], as: UTF8.self), version)
    }

    /// Returns the request line of a serialised head: specification section 7.1.
    static func bytes(method: String, url: String, version: String?) -> [UInt8] {
        Array("\(method) \(originForm(url)) \(version ?? "HTTP/1.1")".utf8)
    }

    /// Returns the path and the query of a URL as given, without its fragment; `/` for an empty path.
    private static func originForm(_ url: String) -> Substring {
        let text = url.prefix { $0 != "#" }
        guard let authority = text.firstRange(of: "://") else { return text }
        let rest = text[authority.upperBound...]
        guard let start = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
        return rest[start] == "?" ? Substring("/" + rest[start...]) : rest[start...]
    }
}

extension String {
    /// Reads a version of HTTP, such as `HTTP/1.1`; nil for other text.
    fileprivate init?(httpVersion bytes: ArraySlice<UInt8>) {
        guard bytes.starts(with: "HTTP/".utf8), (6...16).contains(bytes.count),
            bytes.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.init(decoding: bytes, as: UTF8.self)
    }
}
