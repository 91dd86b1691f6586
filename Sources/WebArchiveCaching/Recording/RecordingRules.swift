// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// The rules by which a session's exchanges are recorded.
///
/// ```swift
/// let rules = RecordingRules(
///     maximumBodyLength: 10 << 20,
///     willRecord: { draft in draft.request.url.contains("token=") ? nil : draft })
/// ```
///
/// These rules do not change the responses that the app receives. URLs, other fields and bodies are stored unchanged, and an archive
/// is not encrypted.
public struct RecordingRules: Sendable {
    /// An exchange before recording, for ``RecordingRules/willRecord`` to change. Credentials are already stripped.
    public struct Draft: Sendable {
        /// The request in its stored form: without user, password and fragment in its URL. With a different URL or method, the exchange is
        /// found under these.
        public var request: ArchiveRequest
        /// The response in its stored form; its status must be 100 to 999.
        public var response: ArchiveResponse
        /// The length of the response's body, in bytes.
        public let bodyLength: UInt64
    }

    /// The length in bytes beyond which a body is not recorded; 256 MiB by default.
    public var maximumBodyLength: UInt64
    /// Whether `no-store` in a request or a response keeps it from being recorded (RFC 9111 section 5.2). True by default; with
    /// ``ArchivePolicy/Rule/http(_:)``, ``HTTPCaching/honoursNoStore`` must be set as well.
    public var honoursNoStore: Bool
    /// Whether `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie`, `Authentication-Info` and their relatives are stored, and the userinfo of URLs in `Location` and
    /// `Content-Location`. Bodies of requests are stored in any case, unless ``willRecord`` vetoes the exchange.
    public var keepsCredentials: Bool
    /// A function that changes an exchange before it is recorded, or vetoes it with nil. Called from any thread.
    public var willRecord: (@Sendable (Draft) -> Draft?)?

    /// Creates rules; by default neither credentials nor exchanges with `no-store` are stored.
    ///
    /// - Parameters:
    ///   - maximumBodyLength: the maximum body length in bytes; 256 MiB by default.
    ///   - honoursNoStore: whether `no-store` is heeded.
    ///   - keepsCredentials: whether fields with credentials are stored.
    ///   - willRecord: a function with the final decision; nil, as by default, changes nothing.
    public init(
        maximumBodyLength: UInt64 = 256 << 20, honoursNoStore: Bool = true, keepsCredentials: Bool = false,
        willRecord: (@Sendable (Draft) -> Draft?)? = nil
    ) {
        self.maximumBodyLength = maximumBodyLength
        self.honoursNoStore = honoursNoStore
        self.keepsCredentials = keepsCredentials
        self.willRecord = willRecord
    }

    /// Removes credentials from an exchange, unless they are kept.
    func strip(_ request: inout ArchiveRequest, _ response: inout ArchiveResponse) {
        guard !keepsCredentials else { return }
        CredentialFields.strip(&request.headers, &response.headers)
        response.redirectTarget = response.redirectTarget.map(CredentialFields.withoutUserinfo)
    }
}
