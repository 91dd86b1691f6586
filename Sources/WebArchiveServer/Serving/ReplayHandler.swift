// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1
import WebArchive
import WebArchiveReplay

/// A handler that responds to the requests of one HTTP/1.1 connection in order, or to the one request of an HTTP/2 stream.
///
/// The handler reads a body only as fast as the client takes it. A ``ConnectionDeadline`` earlier in the pipeline closes the connection
/// of a client that is too slow for too long.
final class ReplayHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// A response that is being sent.
    private struct Outgoing {
        let request: HTTPRequestHead?
        let url: CanonicalURL?
        let status: Int
        let start: Int64
        let keepsAlive: Bool
        var content: ContentReader
        /// The number of bytes of content so far.
        var length = 0
    }

    private enum State {
        case waiting
        case receiving(IncomingRequest)
        /// The response will be made when there is room for it.
        case queued(ReplayRequest, ReplayService.Route, HTTPRequestHead)
        /// The response is being made on another thread.
        case responding
        /// The response waits until the client reads more.
        case ready(ReplayResponse, HTTPRequestHead?, keepsAlive: Bool)
        case sending(Outgoing)
        /// Nothing more is read or sent.
        case ended
    }

    /// The parties that a response waits for, and that each resume it once.
    private struct Awaited: OptionSet {
        let rawValue: UInt8
        /// The ``ContentShare`` of the connection, until it has room.
        static let room = Awaited(rawValue: 1)
        /// The ``EventLoopQuota`` of the address, until it is its turn.
        static let turn = Awaited(rawValue: 2)
    }

    private let service: ReplayService
    private let workers: FairScheduler
    private let connection: ReplayConnection
    private var names: ConnectionNames
    private let share: ContentShare
    private let writer: CountedWriter
    private var state = State.waiting
    /// Whether the connection ends after the response that is being sent.
    private var isLastResponse = false
    /// The number of completely written responses that have not been sent.
    private var unsentCount = 0

    /// The time that the request's head took, until the client is charged for it.
    private var headTime = TimeAmount.zero

    /// The parties that will resume this.
    private var awaited: Awaited = []
    /// The number of bytes that ``share`` counts until the response has been passed on: of the request of a stream, and of the response.
    private var heldCount = 0
    private var holdsResponse = false

    /// - Parameter share: the share of the connection, and so of all its streams.
    init(
        _ service: ReplayService, _ workers: FairScheduler, _ connection: ReplayConnection, _ names: ServerNames,
        _ share: ContentShare
    ) {
        self.service = service
        self.workers = workers
        self.connection = connection
        self.names = ConnectionNames(names)
        self.share = share
        writer = CountedWriter(share: share, isStream: connection.isStream)
    }

    // MARK: - Reading

    func channelInactive(context: ChannelHandlerContext) {
        if case .sending(let outgoing) = state { end(outgoing, isWhole: false) }
        workers.remove(self, of: share.address)
        state = .ended
        release()
        if awaited.contains(.room) { share.forget(self) }
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head, .waiting) where connection.isStream && share.isCrowded:
            state = .ended
            context.close(promise: nil)
        case (.head(var head), .waiting):
            guard head.headers.count <= ReplayPipeline.maximumFieldCount else {
                return refuse(context, .requestHeaderFieldsTooLarge, "The request has too many fields.", head)
            }
            if connection.isStream || head.isLong {
                guard connection.isStream || !share.isShort else {
                    return refuse(context, .serviceUnavailable, crowded, head)
                }
                hold(head.length)
            }
            let start = workers.loopTime.now
            connection.accounted.add(EventLoopQuota.negligible)
            head.headers.makeStreamSafe()
            headTime = workers.loopTime.now - start
            if let (status, text) = head.refusal(atMost: service.options.maximumRequestLength) {
                return refuse(context, status, text, head)
            }
            state = .receiving(IncomingRequest(head))
            if !head.version.isBeforeHTTP11,
                head.headers["Expect"].contains(where: { $0.asciiLowercased == "100-continue" })
            {
                context.writeAndFlush(
                    wrapOutboundOut(.head(HTTPResponseHead(version: head.version, status: .continue))), promise: nil)
            }
        case (.body(let bytes), .receiving(var incoming)):
            guard incoming.length + bytes.readableBytes <= service.options.maximumRequestLength else {
                return refuse(context, .contentTooLarge, tooLong, incoming.head)
            }
            // One owner, so that the content is not copied for each piece.
            state = .waiting
            hold(incoming.add(bytes, hasRoom: !share.isShort))
            state = .receiving(incoming)
        case (.end, .receiving(let incoming)):
            respond(context, to: incoming)
        default:
            // Content after a refusal.
            break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else { return context.close(promise: nil) }
        switch state {
        case .waiting: break
        // Bytes after the last request: the responses before them are made all the same.
        case .queued, .responding, .ready, .sending:
            isLastResponse = true
            return
        // It is closed when the last response has left.
        case .ended: return
        // A body that breaks off; the responses before it may not have left yet.
        case .receiving:
            isLastResponse = true
            state = .ended
            return endConnection(context, mayReceive: false)
        }
        guard error == .headerOverflow else { return refuse(context, .badRequest, "The request is malformed.", nil) }
        refuse(context, .requestHeaderFieldsTooLarge, "The request fields are too long.", nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ConnectionShouldEnd { endConnection(context, mayReceive: true) }
        // A client that has finished sending may still wait for a response.
        if case .inputClosed? = event as? ChannelEvent { endConnection(context, mayReceive: false) }
        context.fireUserInboundEventTriggered(event)
    }

    /// Ends the connection after its current work.
    ///
    /// - Parameter mayReceive: whether the rest of a request can still come.
    private func endConnection(_ context: ChannelHandlerContext, mayReceive: Bool) {
        isLastResponse = true
        switch state {
        case .queued, .responding, .ready, .sending: break
        case .receiving where mayReceive: break
        case .waiting, .receiving, .ended: if unsentCount == 0 { context.close(promise: nil) }
        }
    }

    // MARK: - Responding

    private func respond(_ context: ChannelHandlerContext, to incoming: IncomingRequest) {
        let head = incoming.head
        let start = workers.loopTime.now - headTime
        headTime = .zero
        do throws(RequestTarget.Malformed) {
            let target = try RequestTarget(head, on: connection)
            if let response = target.responseOfServer {
                note(start)
                return send(context, response, to: head, keepsAlive: head.keepsConnection)
            }
            var request = ReplayRequest(
                target.request, bodyDigest: incoming.digest, addressing: target.addressing)
            request.mayBeCoded = connection.mayBeCoded
            request.content = incoming.content
            let route = service.route(
                request, isDirect: target.isDirect, place: names.place(of: target.request.authority))
            note(start)
            let (kept, isFree) = (head.forLog, workers.loopTime.delay(share.address) == .zero)
            isFree ? respond(context, request, route, kept) : wait(context, request, route, kept)
        } catch {
            note(start)
            refuse(context, .badRequest, error.reason, head)
        }
    }

    private func wait(
        _ context: ChannelHandlerContext, _ request: ReplayRequest, _ route: ReplayService.Route,
        _ head: HTTPRequestHead
    ) {
        state = .responding
        context.flush()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        workers.loopTime.wait(share.address, of: self, on: context.eventLoop) {
            let (handler, context) = bound.value
            if case .responding = handler.state { handler.respond(context, request, route, head) }
        }
    }

    private func respond(
        _ context: ChannelHandlerContext, _ request: ReplayRequest, _ route: ReplayService.Route,
        _ head: HTTPRequestHead
    ) {
        if route == .ownPages(takesLong: true) || workers.slowRequests.contains(share.address) {
            return respondLater(context, request, route, head)
        }
        let start = workers.loopTime.now
        let response = service.respondQuickly(to: request, by: route)
        note(start)
        // A client that has its share holds nothing more: the response is made again when there is room.
        guard let response else { return respondLater(context, request, route, head) }
        guard response.ownLength <= ContentShare.smallLength || !share.isShort else {
            return queue(context, request, route, head)
        }
        send(context, response, to: head, keepsAlive: head.keepsConnection, from: (request, route))
    }

    /// Notes how long a piece of work of this client has blocked the event loop.
    private func note(_ start: NIODeadline) {
        let duration = workers.loopTime.now - start
        connection.accounted.add(duration)
        workers.slowRequests.note(share.address, duration)
        workers.loopTime.note(share.address, duration)
    }

    /// Makes the response where other connections do not wait for it.
    private func respondLater(
        _ context: ChannelHandlerContext, _ request: ReplayRequest, _ route: ReplayService.Route,
        _ head: HTTPRequestHead
    ) {
        state = .responding
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        workers.add(
            for: share.address, of: self, takesLong: route == .ownPages(takesLong: true),
            work: { [service, workers, share] in
                let response = workers.slowRequests.timing(share.address) { service.respond(to: request, by: route) }
                let count = response.ownLength
                // Its length is known only now.
                guard count <= ContentShare.smallLength || !share.isShort else {
                    return bound.execute { handler, context in
                        if case .responding = handler.state { handler.queue(context, request, route, head) }
                    }
                }
                let fieldsLength = response.head.headerFields.textLength
                let held = count + (fieldsLength > ContentShare.shortFieldsLength ? fieldsLength : 0)
                share.hold(held)
                bound.execute { handler, context in
                    // The client may have gone.
                    guard case .responding = handler.state else { return share.release(held) }
                    handler.heldCount += held
                    handler.holdsResponse = true
                    handler.send(
                        context, response, to: head, keepsAlive: head.keepsConnection, from: (request, route))
                }
            })
    }

    /// Makes the response when there is room for it.
    private func queue(
        _ context: ChannelHandlerContext, _ request: ReplayRequest, _ route: ReplayService.Route,
        _ head: HTTPRequestHead, inPieces: Bool = false
    ) {
        state = .queued(request, route, head)
        waitForRoom(context, inPieces: inPieces)
    }

    private var crowded: String {
        "The unread responses of this client leave no room for a long request; read them, and send it again."
    }

    private var tooLong: String { "The content exceeds \(service.options.maximumRequestLength) bytes." }

    /// Responds without further processing of the request, and ends the connection: the start of its next request is unknown.
    private func refuse(
        _ context: ChannelHandlerContext, _ status: HTTPResponse.Status, _ text: String, _ head: HTTPRequestHead?
    ) {
        if headTime > .zero { note(workers.loopTime.now - headTime) }
        headTime = .zero
        let page = NoticePage(title: status.reasonPhrase, text: [text]).response(
            status, outcome: .own, isHead: head?.method == .HEAD)
        send(context, page, to: head?.forLog, keepsAlive: false)
    }

    /// - Parameter origin: the request and its route, by which the response can be made again.
    private func send(
        _ context: ChannelHandlerContext, _ response: ReplayResponse, to head: HTTPRequestHead?, keepsAlive: Bool,
        from origin: (request: ReplayRequest, route: ReplayService.Route)? = nil
    ) {
        let start = workers.loopTime.now
        guard !connection.isStream || HeadersFrame.fits(response.head.headerFields) else {
            let refused = Outgoing(
                request: head, url: response.url, status: response.head.status.code, start: ReplayService.now,
                keepsAlive: false, content: ContentReader(response))
            end(refused, isWhole: false)
            state = .ended
            return HeadersFrame.requireHTTP1(context)
        }
        let fieldsLength = response.head.headerFields.textLength
        if !holdsResponse, connection.isStream || response.ownLength > ContentShare.smallLength {
            hold(response.ownLength + (connection.isStream ? fieldsLength : 0))
            holdsResponse = true
        }
        let allowance = share.allowance
        // Long fields go out whole, so that they wait for room instead of continuing in small pieces.
        let inPieces = fieldsLength <= ContentShare.smallLength
        let isEmpty = connection.isStream && response.contentLength == 0
        let hasRoom = inPieces ? allowance > 0 || isEmpty : !share.isShort
        guard context.channel.isWritable, hasRoom else {
            note(start)
            // The cache may lose the fields as well.
            if let origin, let head, !holdsResponse, fieldsLength > ContentShare.shortFieldsLength {
                return queue(context, origin.request, origin.route, head, inPieces: inPieces)
            }
            var waiting = response
            waiting.bodyInMemory = nil
            state = .ready(waiting, head, keepsAlive: keepsAlive)
            return waitForRoom(context, inPieces: inPieces)
        }
        var response = response
        var content = ContentReader(response)
        var first: ByteBuffer?
        do throws(ArchiveError) {
            first = try content.next(context.channel.allocator, atMost: max(allowance, ContentShare.smallLength))
        } catch {
            // Nothing has been sent yet, so that the client can still get an error response.
            let url = response.url
            let language = DeviceLanguage(accepting: head?.headers.first(name: "Accept-Language"))
            response = NoticePage.unreadable(error, language).response(.internalServerError, outcome: .failed(error))
            response.url = url
            content = ContentReader(response)
            first = try? content.next(context.channel.allocator)
        }
        service.note(response)
        let keepsAlive = keepsAlive && !isLastResponse
        let now = ReplayService.now
        let responseHead = HTTPResponseHead(
            response, to: head, date: service.date(now), keepsAlive: connection.isStream ? nil : keepsAlive)
        writer.write(context, responseHead, fields: fieldsLength)
        if let first { writer.write(context, first, isWhole: content.isAtEnd) }
        note(start)
        state = .sending(
            Outgoing(
                request: head, url: response.url, status: response.head.status.code, start: now,
                keepsAlive: keepsAlive, content: content, length: first?.readableBytes ?? 0))
        resume(context)
    }

    /// Continues when there is room, if memory is the reason. A client that reads nothing signals when it does.
    ///
    /// - Parameter inPieces: whether it can continue in small pieces.
    private func waitForRoom(_ context: ChannelHandlerContext, inPieces: Bool = true) {
        let isMemoryWanting = context.channel.isWritable
        context.flush()
        guard isMemoryWanting, awaited.insert(.room).inserted else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        share.wait(self, needsRoom: !inPieces) {
            let (handler, context) = bound.value
            handler.awaited.remove(.room)
            handler.resume(context)
        }
    }

    /// Whether the next small piece waits: each may decode a long block again, which the cache has lost.
    private var mustWaitForTurn: Bool { share.isShort && workers.loopTime.delay(share.address) > .zero }

    private func waitForTurn(_ context: ChannelHandlerContext) {
        context.flush()
        guard awaited.insert(.turn).inserted else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        workers.loopTime.wait(share.address, of: self, on: context.eventLoop) {
            let (handler, context) = bound.value
            handler.awaited.remove(.turn)
            handler.resume(context, isItsTurn: true)
        }
    }

    /// Counts the memory of this response alone: its own pages, and on a stream, of which there can be many, its request.
    private func hold(_ count: Int) {
        heldCount += count
        share.hold(count)
    }

    private func release() {
        holdsResponse = false
        guard heldCount > 0 else { return }
        share.release(heldCount)
        heldCount = 0
    }

    // MARK: - Sending

    /// Sends as much as the client accepts now; continues when it accepts more.
    ///
    /// - Parameter isItsTurn: whether ``EventLoopQuota`` has let it continue.
    private func resume(_ context: ChannelHandlerContext, isItsTurn: Bool = false) {
        var isItsTurn = isItsTurn
        switch state {
        case .queued(let request, let route, let head): return respondLater(context, request, route, head)
        case .ready(let response, let head, let keepsAlive):
            return send(context, response, to: head, keepsAlive: keepsAlive)
        default: break
        }
        guard case .sending(var outgoing) = state else { return }
        // The rest of a response has one owner, so that none of it is copied.
        state = .waiting
        while !outgoing.content.isAtEnd {
            guard isItsTurn || !mustWaitForTurn else {
                outgoing.content.releaseMemory()
                state = .sending(outgoing)
                return waitForTurn(context)
            }
            isItsTurn = false
            let allowance = share.allowance
            guard context.channel.isWritable, allowance > 0 else {
                outgoing.content.releaseMemory()
                state = .sending(outgoing)
                return waitForRoom(context)
            }
            do throws(ArchiveError) {
                let start = workers.loopTime.now
                guard let bytes = try outgoing.content.next(context.channel.allocator, atMost: allowance) else { break }
                note(start)
                outgoing.length += bytes.readableBytes
                writer.write(context, bytes)
                // The last content of a stream is sent with its end.
                if !outgoing.content.isAtEnd { context.flush() }
            } catch {
                // The promised content cannot be sent; an early end of the connection shows this to the client.
                service.noteUnreadable(outgoing.url?.description ?? connection.requestLine(outgoing.request), error)
                end(outgoing, isWhole: false)
                state = .ended
                context.close(promise: nil)
                return
            }
        }
        end(outgoing, isWhole: true)
        if !outgoing.keepsAlive { isLastResponse = true }
        state = isLastResponse ? .ended : .waiting
        unsentCount += 1
        writer.end(context) { [self] in
            unsentCount -= 1
            // A request that arrived meanwhile is processed first.
            if isLastResponse { endConnection(context, mayReceive: true) }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { resume(context) }
        context.fireChannelWritabilityChanged()
    }

    private func end(_ outgoing: Outgoing, isWhole: Bool) {
        release()
        service.counters.count(status: outgoing.status)
        service.counters.count(.bytes, outgoing.length)
        if !isWhole { service.counters.count(.brokenOff) }
        guard let log = service.log else { return }
        let headers = outgoing.request?.headers
        log.write(
            AccessLogEntry(
                address: connection.address, time: outgoing.start,
                requestLine: connection.requestLine(outgoing.request),
                status: outgoing.status, length: outgoing.length, referrer: headers?.first(name: "Referer"),
                userAgent: headers?.first(name: "User-Agent")
            ).text)
    }
}
