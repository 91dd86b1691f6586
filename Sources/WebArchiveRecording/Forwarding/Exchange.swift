// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WebArchive

/// A request on its way to an origin server, and the response on its way back, to the client and into the archive.
///
/// It is for one event loop. It continues without its client, so that an aborted response is recorded as a whole.
final class Exchange: UpstreamReceiver {
    private enum Stage {
        /// There is no connection yet.
        case connecting
        case forwarding
        case ended
    }

    let request: OutgoingRequest
    private let forwarder: Forwarder
    private weak var client: (any ExchangeClient)?
    private var stage = Stage.connecting
    private var upstream: (any UpstreamStream)?
    private var capture: ExchangeCapture
    /// The content of the request that came before the connection, or is sent again on another one.
    private var waiting: [ByteBuffer] = []
    private var waitingLength = 0
    private var trailers: HeaderFields?
    /// Whether the request could be sent a second time: its content is still known.
    private var isRepeatable = true
    private var hasHead = false
    private var informationalCount = 0
    private var deadline: Scheduled<Void>?
    private var detachedLimit: Scheduled<Void>?
    private var isSilent = false
    private var isDetached = false

    /// The number of bytes of a request that are kept for a second connection.
    private static let repeatableLength = 64 << 10
    private static let maximumInformationalCount = 32
    /// The time after which a silent server is given up, with and without a client that waits for it.
    private static let silence = TimeAmount.seconds(300)
    private static let detachedSilence = TimeAmount.seconds(60)

    /// - Parameter client: the receiver of the response; nil for an exchange of the proxy itself.
    init(_ request: OutgoingRequest, _ forwarder: Forwarder, client: (any ExchangeClient)?) {
        (self.request, self.forwarder, self.client) = (request, forwarder, client)
        capture = ExchangeCapture(request, forwarder.capturing)
        isDetached = client == nil
    }

    /// Whether only a whole response with status 200 is recorded.
    private var requiresWhole = false
    /// The use of a response with a range; nil for another response.
    private var partialUse: PartialResponses.Use?

    /// A function that is called when the response is stored, with its stored form, or with nil if there is none.
    var whenStored: (@Sendable (LoadedResponse?) -> Void)?

    /// Whether the response ends only with its client.
    var isEndless: Bool { capture.isEndless }

    /// Whether more content of the request can be taken now.
    var takesContent: Bool { stage == .forwarding ? upstream?.isWritable ?? false : waitingLength == 0 }

    // MARK: - The request

    /// Sends the request, on an idle connection if there is one.
    func start() {
        // The client can go away before there is room.
        guard stage == .connecting else { return }
        forwarder.add(self)
        if isDetached { limitDetachedTime() }
        if !request.isWebSocket, let idle = forwarder.pool.take(request.target.server) { return begin(on: idle) }
        connect()
    }

    private func connect() {
        forwarder.pool.connect(request.target.server, requiresHTTP1: request.isWebSocket) { [self] result in
            guard stage == .connecting else {
                if case .success(let upstream) = result { upstream.cancel() }
                return
            }
            switch result {
            case .success(let upstream): begin(on: upstream)
            case .failure(let failure): end(failure)
            }
        }
    }

    private func begin(on upstream: any UpstreamStream) {
        self.upstream = upstream
        stage = .forwarding
        capture.address = upstream.address
        upstream.send(request, to: self)
        for content in waiting { upstream.send(content) }
        if let trailers { upstream.endRequest(trailers) }
        upstream.flush()
        noteProgress()
        if trailers == nil { client?.takesContent() }
    }

    /// Takes content of the request.
    func send(_ content: ByteBuffer) {
        capture.addRequest(content)
        noteProgress()
        if stage == .connecting || isRepeatable {
            waiting.append(content)
            waitingLength += content.readableBytes
            if stage == .forwarding, waitingLength > Self.repeatableLength {
                isRepeatable = false
                waiting = []
            }
        }
        if stage == .forwarding { upstream?.send(content) }
    }

    /// Ends the content of the request.
    func endRequest(_ trailers: HeaderFields) {
        self.trailers = trailers
        guard stage == .forwarding else { return }
        upstream?.endRequest(trailers)
        upstream?.flush()
    }

    /// Takes bytes of the client after the connection has switched protocols.
    func sendSwitched(_ bytes: ByteBuffer) {
        guard stage == .forwarding else { return }
        noteProgress()
        capture.addSwitched(bytes)
        upstream?.send(bytes)
        upstream?.flush()
    }

    func flush() { if stage == .forwarding { upstream?.flush() } }

    // MARK: - The client

    /// Continues without the client.
    func detach() {
        client = nil
        guard stage != .ended, !isDetached else { return }
        isDetached = true
        guard trailers != nil, !capture.isEndless else {
            // The server waits for the rest of the request, or sends events for as long as a client listens.
            return abandon("unspecified")
        }
        // The whole is loaded anyway.
        if let partialUse, partialUse != .keep { return abandon("unspecified") }
        upstream?.setReading(true)
        noteProgress()
        limitDetachedTime()
    }

    private func limitDetachedTime() {
        detachedLimit = forwarder.eventLoop.assumeIsolated().scheduleTask(in: forwarder.maximumDetachedTime) {
            [weak self] in self?.abandon("time")
        }
    }

    /// Sends the rest of the response to another receiver.
    func replaceClient(_ client: any ExchangeClient) { self.client = client }

    /// Notes that the client can take more.
    func clientBecameWritable() {
        if stage == .forwarding { upstream?.setReading(true) }
    }

    /// Ends the exchange before the response does.
    func abandon(_ truncation: String) {
        guard stage != .ended else { return }
        upstream?.cancel()
        finish(truncation: truncation)
    }

    // MARK: - The response

    func received(_ head: ReceivedHead) {
        noteProgress()
        guard !head.isInformational else {
            informationalCount += 1
            guard informationalCount <= Self.maximumInformationalCount else {
                upstream?.cancel()
                return end(.malformed("too many informational responses"))
            }
            client?.send(head)
            return
        }
        guard head.status != 101 || request.isWebSocket else {
            upstream?.cancel()
            return end(.malformed("it switches protocols without a request"))
        }
        hasHead = true
        (isRepeatable, waiting) = (false, [])
        capture.begin(head)
        if [206, 416].contains(head.status), request.method == "GET", request.fields["Range"] != nil { beginPartial() }
        client?.send(head)
    }

    /// Loads the whole of a response with a range, unless that is known.
    private func beginPartial() {
        let (partials, url) = (forwarder.partials, request.target.url)
        let use = partials.use(url)
        partialUse = use
        if use == .drop { capture.discardContent() }
        guard use == .load else { return }
        let whole = Exchange(request.withoutRange, forwarder, client: nil)
        whole.requiresWhole = true
        whole.whenStored = { [store = forwarder.store] loaded in
            let isWhole = loaded?.response.status == 200 && loaded?.response.truncation == nil
            for held in partials.finish(url, isWhole: isWhole) { store.record(held) }
        }
        whole.start()
        whole.endRequest([])
    }

    func received(_ content: ByteBuffer) {
        noteProgress()
        let isWhole = capture.add(content)
        client?.send(content)
        // Neither a client nor the archive gets the rest.
        if !isWhole, isDetached { abandon("length") }
    }

    func receivedFramed(_ bytes: ByteBuffer) { capture.addFramed(bytes) }

    func readCompleted() {
        guard stage == .forwarding else { return }
        client?.flush()
        if let client, !client.isWritable { upstream?.setReading(false) }
    }

    func ended(_ trailers: HeaderFields) {
        guard stage != .ended else { return }
        let client = client
        finish(truncation: nil)
        client?.end(trailers)
    }

    func failed(_ failure: UpstreamFailure) {
        guard stage != .ended else { return }
        if case .closed = failure, !hasHead, upstream?.wasUsed == true, isRepeatable, request.isIdempotent {
            // The server closed the idle connection while the request was on its way (RFC 9112 section 9.3.1).
            (upstream, stage) = (nil, .connecting)
            return connect()
        }
        end(failure)
    }

    func writabilityChanged() {
        if stage == .forwarding, trailers == nil, upstream?.isWritable == true { client?.takesContent() }
    }

    private func end(_ failure: UpstreamFailure) {
        let client = client
        if hasHead {
            finish(truncation: isSilent ? "time" : "disconnect")
        } else {
            stage = .ended
            cleanUp()
            forwarder.store.recordFailure(request.stored, capture.time, failure.message)
            whenStored?(nil)
        }
        client?.fail(isSilent ? .silent : failure)
    }

    private func finish(truncation: String?) {
        stage = .ended
        cleanUp()
        guard let captured = capture.finish(truncation: truncation, whenStored: whenStored),
            !requiresWhole || captured.head.status == 200 && captured.truncation == nil,
            !isConfirmation(captured)
        else {
            whenStored?(nil)
            return
        }
        guard partialUse == nil || forwarder.partials.add(captured) else { return }
        forwarder.held.note(captured)
        forwarder.store.record(captured)
    }

    /// Returns whether a response only confirms the one that the archive holds, which it would hide.
    private func isConfirmation(_ captured: CapturedExchange) -> Bool {
        let conditions = ["If-None-Match", "If-Modified-Since"]
        return captured.head.status == 304 && conditions.contains { request.fields[$0] != nil }
    }

    private func cleanUp() {
        forwarder.remove(self)
        deadline?.cancel()
        detachedLimit?.cancel()
        (deadline, upstream, client, waiting) = (nil, nil, nil, [])
    }

    // MARK: - The deadline

    /// The time of the last progress, by the clock of the event loop.
    private var progress = NIODeadline.uptimeNanoseconds(0)

    private func noteProgress() {
        progress = forwarder.eventLoop.now
        if deadline == nil, stage != .ended { watch(after: isDetached ? Self.detachedSilence : Self.silence) }
    }

    /// Checks for progress when the time for it may be over: one timer, which is not set again for each part.
    private func watch(after delay: TimeAmount) {
        deadline = forwarder.eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            guard let self, stage != .ended else { return }
            let limit = isDetached ? Self.detachedSilence : Self.silence
            let left = progress + limit - forwarder.eventLoop.now
            // A client that takes nothing holds up the server.
            let isHeldUp = client.map { !$0.isWritable } ?? false
            guard left <= .nanoseconds(0), !isHeldUp, !capture.isEndless || isDetached else {
                return watch(after: max(left, .seconds(1)))
            }
            isSilent = true
            let upstream = upstream
            end(.silent)
            upstream?.cancel()
        }
    }
}
