// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import SystemPackage
public import WebArchive

/// An answer that comes from the app itself: of a rule, or of a ``Stub``.
public struct LocalAnswer: Sendable {
    public enum Body: Sendable {
        case data(Data)
        /// Opened when the answer is needed; one that cannot be read fails the request with `fileDoesNotExist` or
        /// `cannotOpenFile`.
        case file(FilePath)
    }

    /// 100 to 999.
    public var status: Int
    public var headers: HeaderFields
    public var body: Body
    /// From the request to the answer.
    public var delay: Duration
    /// Set: the request fails with this, and nothing else is delivered.
    public var failure: URLError.Code?

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

extension LocalAnswer {
    /// Bytes, with a `Content-Type` if there is a media type.
    public static func data(_ data: Data, mediaType: String? = nil) -> LocalAnswer {
        LocalAnswer(body: .data(data)).typed(mediaType)
    }

    /// The content of a file, with a `Content-Type` by its name's extension.
    public static func file(_ path: FilePath) -> LocalAnswer {
        LocalAnswer(body: .file(path)).typed(MediaTypes.type(ofPath: path.string))
    }

    /// Text in UTF-8.
    public static func text(_ text: String, mediaType: String = "text/plain") -> LocalAnswer {
        data(Data(text.utf8), mediaType: "\(mediaType); charset=utf-8")
    }

    public static func json(_ json: JSONBody) -> LocalAnswer {
        data(Data(json.text.utf8), mediaType: "application/json")
    }

    /// A status without a body.
    public static func status(_ status: Int) -> LocalAnswer { LocalAnswer(status: status) }

    /// No answer but an error.
    public static func failure(_ code: URLError.Code) -> LocalAnswer { LocalAnswer(failure: code) }

    /// The same with another status.
    public func status(_ status: Int) -> LocalAnswer { with { $0.status = status } }

    /// The same with one header field more.
    public func header(_ name: String, _ value: String) -> LocalAnswer {
        with { $0.headers.append(name: name, value: value) }
    }

    /// The same, given after some time.
    public func after(_ delay: Duration) -> LocalAnswer { with { $0.delay = delay } }

    private func typed(_ mediaType: String?) -> LocalAnswer {
        mediaType.map { header("Content-Type", $0) } ?? self
    }

    private func with(_ change: (inout LocalAnswer) -> Void) -> LocalAnswer {
        var answer = self
        change(&answer)
        return answer
    }
}
