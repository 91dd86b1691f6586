// SPDX-License-Identifier: Apache-2.0

import NIOCore
import SystemPackage
import WebArchive

/// The options of capturing exchanges.
struct CapturingOptions: Sendable {
    /// The folders for long bodies, the preferred one first.
    var folders: [FilePath]
    var maximumBodyLength: UInt64
    var keepsOriginals: Bool
}

/// The parts of an exchange that an archive keeps, as far as they have come.
struct ExchangeCapture {
    private let request: OutgoingRequest
    private let options: CapturingOptions
    private var requestBody: SpooledBody?
    private var head: ReceivedHead?
    private var content: SpooledBody?
    private var wire: SpooledBody?
    private var isChunked = false
    private var isLeftOut = false
    private var webSocket: WebSocketRecord?
    /// The reason why the content is not whole.
    private var truncation: String?
    let time = ArchiveTime.now()
    var address: String?
    /// Whether the response is a stream of events (WHATWG HTML, "Server-sent events") or another protocol, which ends when its client does.
    private(set) var isEndless = false

    init(_ request: OutgoingRequest, _ options: CapturingOptions) { (self.request, self.options) = (request, options) }

    private func body() -> SpooledBody { SpooledBody(folders: options.folders) }

    mutating func addRequest(_ bytes: ByteBuffer) {
        if requestBody == nil { requestBody = body() }
        // A longer one is forwarded, and the exchange is left out: its beginning alone would be another request.
        guard let requestBody, requestBody.length + UInt64(bytes.readableBytes) <= options.maximumBodyLength else {
            isLeftOut = true
            return
        }
        keep { () throws(ArchiveError) in try requestBody.append(bytes) }
    }

    mutating func begin(_ head: ReceivedHead) {
        self.head = head
        guard head.status != 101 else {
            (isEndless, webSocket, content) = (true, WebSocketRecord(), body())
            return
        }
        if !request.isHEAD, head.status != 204, head.status != 304 { content = body() }
        let codings = head.fields["Transfer-Encoding"]?.asciiLowercased ?? ""
        isChunked = content != nil && codings.hasSuffix("chunked")
        if isChunked, options.keepsOriginals { wire = body() }
        isEndless = head.fields["Content-Type"]?.asciiLowercased.hasPrefix("text/event-stream") == true
    }

    /// Keeps nothing of the content.
    mutating func discardContent() { (content, wire) = (nil, nil) }

    /// Adds content of the response.
    ///
    /// - Returns: whether it is kept: what exceeds the limit is not.
    mutating func add(_ bytes: ByteBuffer) -> Bool {
        guard webSocket == nil else {
            addMessages(bytes, fromClient: false)
            return true
        }
        guard let content, truncation != "length" else { return truncation != "length" }
        let room = options.maximumBodyLength - content.length
        guard UInt64(bytes.readableBytes) <= room else {
            if let rest = bytes.getSlice(at: bytes.readerIndex, length: Int(room)) {
                keep { () throws(ArchiveError) in try content.append(rest) }
            }
            (truncation, wire) = ("length", nil)
            return false
        }
        keep { () throws(ArchiveError) in try content.append(bytes) }
        return true
    }

    /// Adds bytes of the client after the connection has switched protocols.
    mutating func addSwitched(_ bytes: ByteBuffer) { addMessages(bytes, fromClient: true) }

    private mutating func addMessages(_ bytes: ByteBuffer, fromClient: Bool) {
        guard let lines = webSocket?.lines(bytes, fromClient: fromClient), !lines.isEmpty, let content else { return }
        guard content.length + UInt64(lines.count) <= options.maximumBodyLength else {
            truncation = "length"
            return
        }
        keep { () throws(ArchiveError) in
            try lines.withBytes { (bytes) throws(ArchiveError) in try content.append(bytes) }
        }
    }

    mutating func addFramed(_ bytes: ByteBuffer) {
        guard let wire else { return }
        keep { () throws(ArchiveError) in try wire.append(bytes) }
    }

    /// Keeps bytes; an error of the file is thrown again when the body is stored.
    private func keep(_ append: () throws(ArchiveError) -> Void) { try? append() }

    /// Ends the exchange; nil without a response, and for a request that is too long.
    mutating func finish(
        truncation: String?, whenStored: (@Sendable (LoadedResponse?) -> Void)?
    ) -> CapturedExchange? {
        guard let head, !isLeftOut else { return nil }
        for body in [requestBody, content, wire] { body?.finish() }
        var captured = CapturedExchange(request: request.stored, head: head, time: time)
        (captured.requestBody, captured.content, captured.wire) = (requestBody, content, wire)
        (captured.isChunked, captured.address, captured.whenStored) = (isChunked, address, whenStored)
        // The end of a WebSocket is the end of its connection.
        captured.truncation = self.truncation ?? (webSocket == nil ? truncation : nil)
        return captured
    }
}
