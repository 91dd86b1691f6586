// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import SystemPackage
public import WebArchive

/// A response that comes from the app itself: of a rule, or of a ``Stub``.
public struct LocalResponse: Sendable {
    /// The content of a local response.
    public enum Body: Sendable {
        case data(Data)
        /// Opened when the response is needed; one that cannot be read fails the request with `fileDoesNotExist` or
        /// `cannotOpenFile`.
        case file(FilePath)
    }

    /// 100 to 999.
    public var status: Int
    /// The header fields.
    public var headers: HeaderFields
    /// The content.
    public var body: Body
    /// From the request to the response.
    public var delay: Duration
    /// Set: the request fails with this, and nothing else is delivered.
    public var failure: URLError.Code?

    /// Creates a response.
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
    /// Bytes, with a `Content-Type` if there is a media type.
    public static func data(_ data: Data, mediaType: String? = nil) -> LocalResponse {
        LocalResponse(body: .data(data)).typed(mediaType)
    }

    /// The content of a file, with a `Content-Type` by its name's extension.
    public static func file(_ path: FilePath) -> LocalResponse {
        LocalResponse(body: .file(path)).typed(MediaTypes.type(ofPath: path.string))
    }

    /// Text in UTF-8.
    public static func text(_ text: String, mediaType: String = "text/plain") -> LocalResponse {
        data(Data(text.utf8), mediaType: "\(mediaType); charset=utf-8")
    }

    /// A response with JSON as its content, of media type `application/json`.
    public static func json(_ json: JSONBody) -> LocalResponse {
        data(Data(json.text.utf8), mediaType: "application/json")
    }

    /// A status without a body.
    public static func status(_ status: Int) -> LocalResponse { LocalResponse(status: status) }

    /// No response but an error.
    public static func failure(_ code: URLError.Code) -> LocalResponse { LocalResponse(failure: code) }

    /// The same with another status.
    public func status(_ status: Int) -> LocalResponse { with { $0.status = status } }

    /// The same with one header field more.
    public func header(_ name: String, _ value: String) -> LocalResponse {
        with { $0.headers.append(name: name, value: value) }
    }

    /// The same, given after some time.
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
