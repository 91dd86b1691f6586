// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import SystemPackage
public import WebArchive

/// A response from the app itself: of a rule, or of a ``Stub``.
///
/// ```swift
/// let found = LocalResponse.json(["id": 7]).header("ETag", "\"7\"").after(.milliseconds(200))
/// let busy = LocalResponse.text("later").status(503).header("Retry-After", "5")
/// let lost = LocalResponse.failure(.networkConnectionLost)
/// ```
///
/// Conditions and ranges of the request are applied to one of status 200 (RFC 9110 sections 13 and 14).
public struct LocalResponse: Sendable {
    /// The content of a local response.
    public enum Body: Sendable {
        /// Bytes in memory.
        case data(Data)
        /// A file that is opened when the response is needed; one that cannot be read fails the request with `fileDoesNotExist` or
        /// `cannotOpenFile`.
        case file(FilePath)
    }

    /// The status code, 100 to 999; 200 by default.
    public var status: Int
    /// The header fields, in their order; none by default.
    public var headers: HeaderFields
    /// The content; empty by default. The response to a HEAD is delivered without it.
    public var body: Body
    /// The time from the request to the response; zero by default. It is added to the delays of rules.
    public var delay: Duration
    /// The code with which the request fails instead of a response; nil by default. With a code, nothing else is delivered.
    public var failure: URLError.Code?

    /// Creates a response: 200 without fields and content by default.
    ///
    /// - Parameters:
    ///   - status: the status, 100 to 999.
    ///   - headers: the header fields, in their order.
    ///   - body: the bytes or the file.
    ///   - delay: the time from the request to the response.
    ///   - failure: the code with which the request fails instead.
    public init(
        status: Int = 200, headers: HeaderFields = [], body: Body = .data(Data()), delay: Duration = .zero,
        failure: URLError.Code? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.delay = delay
        self.failure = failure
    }
}

extension LocalResponse {
    /// Responds 200 with bytes, and with a `Content-Type` if there is a media type.
    ///
    /// - Parameters:
    ///   - data: the content.
    ///   - mediaType: the media type, with its parameters; nil, as by default, for none.
    public static func data(_ data: Data, mediaType: String? = nil) -> LocalResponse {
        LocalResponse(body: .data(data)).typed(mediaType)
    }

    /// Responds 200 with the content of a file, with a `Content-Type` by its name's extension.
    ///
    /// - Parameter path: the path of the file, which need not exist yet: it is opened for each request.
    public static func file(_ path: FilePath) -> LocalResponse {
        LocalResponse(body: .file(path)).typed(MediaTypes.type(ofPath: path.string))
    }

    /// Responds 200 with text in UTF-8.
    ///
    /// - Parameters:
    ///   - text: the content.
    ///   - mediaType: the media type, without parameters; `charset=utf-8` is added.
    public static func text(_ text: String, mediaType: String = "text/plain") -> LocalResponse {
        data(Data(text.utf8), mediaType: "\(mediaType); charset=utf-8")
    }

    /// Responds 200 with JSON as the content, of media type `application/json`.
    public static func json(_ json: JSONBody) -> LocalResponse {
        data(Data(json.text.utf8), mediaType: "application/json")
    }

    /// Responds with a status, without a body.
    public static func status(_ status: Int) -> LocalResponse { LocalResponse(status: status) }

    /// Fails with a code: the caller gets no response but this error.
    ///
    /// - Parameter code: the code of the `URLError`, `timedOut` say.
    public static func failure(_ code: URLError.Code) -> LocalResponse { LocalResponse(failure: code) }

    /// Returns the same response with a different status, from 100 to 999.
    public func status(_ status: Int) -> LocalResponse { with { $0.status = status } }

    /// Returns the same response with an additional header field, after all others.
    public func header(_ name: String, _ value: String) -> LocalResponse {
        with { $0.headers.append(name: name, value: value) }
    }

    /// Returns the same response, delivered after some time instead of its previous delay.
    public func after(_ delay: Duration) -> LocalResponse { with { $0.delay = delay } }

    private func typed(_ mediaType: String?) -> LocalResponse {
        mediaType.map { header("Content-Type", $0) } ?? self
    }

    private func with(_ change: (inout LocalResponse) -> Void) -> LocalResponse {
        var response = self
        change(&response)
        return response
    }
}
