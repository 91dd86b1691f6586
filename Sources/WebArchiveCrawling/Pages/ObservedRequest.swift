// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// A request that a browser sent for a page, with the digests of the bodies that it carried both ways.
public struct ObservedRequest: Hashable, Sendable {
    /// The method, such as `GET`.
    public var method: String
    /// The absolute URL, without a fragment.
    public var url: String
    /// The status of the response, 100 to 999; 0 if there was none.
    public var status: Int
    /// The MD5 of the response's body after content decoding; nil if it is unknown.
    public var body: ContentDigest?
    /// The MD5 of the request's body; nil for a request without one.
    public var content: ContentDigest?
    /// The browser's reason why there was no response, in English; nil if there was one.
    public var failure: String?
    /// Whether the request was for the document of a frame, the page's own included.
    public var isFrame: Bool

    /// Creates a request. It checks nothing.
    ///
    /// - Parameters:
    ///   - method: the method; `GET` by default.
    ///   - url: an absolute URL.
    ///   - status: the status; 0 by default, for none.
    ///   - body: the digest of the response's body; nil by default.
    ///   - content: the digest of the request's body; nil by default.
    ///   - failure: the reason; nil by default.
    ///   - isFrame: whether it is for a document; false by default.
    public init(
        method: String = "GET", url: String, status: Int = 0, body: ContentDigest? = nil,
        content: ContentDigest? = nil, failure: String? = nil, isFrame: Bool = false
    ) {
        (self.method, self.url, self.status, self.body, self.content) = (method, url, status, body, content)
        (self.failure, self.isFrame) = (failure, isFrame)
    }
}

extension ObservedRequest: Comparable {
    /// Compares by URL, method and body of the request, and then by the response, so that the order of a set is always the same.
    public static func < (left: ObservedRequest, right: ObservedRequest) -> Bool {
        guard left.url == right.url else { return left.url.utf8.lexicographicallyPrecedes(right.url.utf8) }
        guard left.method == right.method else { return left.method.utf8.lexicographicallyPrecedes(right.method.utf8) }
        return left.rest.lexicographicallyPrecedes(right.rest)
    }

    private var rest: [UInt64] {
        content.words + body.words + [UInt64(clamping: status), isFrame ? 1 : 0]
            + (failure.map { [1] + $0.utf8.map(UInt64.init) } ?? [0])
    }
}

extension ContentDigest? {
    /// The numbers by which digests are ordered, with none before all others.
    var words: [UInt64] { map { [1, $0.high, $0.low] } ?? [0, 0, 0] }
}

extension ObservedRequest {
    var json: JSONValue {
        .object([
            .init(name: "method", value: .string(method)), .init(name: "url", value: .string(url)),
            .init(name: "status", value: .number(status)), .init(name: "body", value: .text(body?.description)),
            .init(name: "content", value: .text(content?.description)),
            .init(name: "failure", value: .text(failure)), .init(name: "frame", value: .bool(isFrame)),
        ])
    }

    /// Reads a request of an observation.
    ///
    /// - Throws: `damaged` for a member of another type, or a value out of range.
    init(_ json: JSONValue) throws(ArchiveError) {
        guard let method = json["method"]?.text, let url = json["url"]?.text else {
            throw PageObservation.damaged("a request without a method or a URL")
        }
        guard let number = json["status"]?.number, let status = Int(exactly: number), (0...999).contains(status) else {
            throw PageObservation.damaged("a request whose status is not 0 to 999")
        }
        self.init(
            method: method, url: url, status: status, body: try Self.digest(json["body"]),
            content: try Self.digest(json["content"]), failure: json["failure"]?.text,
            isFrame: json["frame"]?.isTrue ?? false)
    }

    private static func digest(_ value: JSONValue?) throws(ArchiveError) -> ContentDigest? {
        guard let value, value != .null else { return nil }
        guard let digest = value.text.flatMap({ ContentDigest(hexadecimal: $0) }) else {
            throw PageObservation.damaged("a digest that is not 32 hexadecimal digits")
        }
        return digest
    }
}
