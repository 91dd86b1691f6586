// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Dispatch
import NIOCore
import NIOHTTP1
import Synchronization
public import SystemPackage
public import WebArchive
public import WebArchiveUpdates

/// A release folder on a web host.
///
/// Redirects are followed, five at most, and none from https to http. A connection that ends before any part of a response is replaced by a
/// new one, once for each request: a host may close one that has waited for its next request (RFC 9110 section 9.2.2). A host that is silent
/// for 30 seconds counts as lost, and so does one whose list is missing after a minute, or that sends less than 60 KiB of a file in any
/// minute. Calls wait, so they must not come from an event loop.
public final class HTTPUpdateSource: UpdateSource {
    /// The address of the folder in its canonical form, with `/` at its end.
    public let name: String
    /// The client with its connections, which are kept between files. It runs on the event loops that all clients of the process share.
    private let client: HTTPClient
    /// The time limits, which only tests change.
    private let limits: Limits

    /// The time limits for a host. Redirects and the time before a body count as well.
    struct Limits: Sendable {
        /// The time without a byte after which the connection counts as lost.
        var silence = Duration.seconds(30)
        /// The time for a whole list; and for each ``minimumLength`` of a file.
        var span = Duration.seconds(60)
        /// The number of bytes of a file that must arrive in each span.
        var minimumLength: UInt64 = 60 << 10
    }

    /// Creates a source. It loads nothing yet.
    ///
    /// - Parameter url: the address of the folder, http or https; with or without `/` at its end.
    /// - Throws: `invalidArgument` for an address that is not an http or https URL.
    public convenience init(_ url: String) throws(ArchiveError) { try self.init(url, limits: Limits()) }

    /// Creates a source with other limits than the public one.
    ///
    /// - Throws: `invalidArgument` for an address of a different scheme, with a query, or with a user name or password.
    init(_ url: String, limits: Limits) throws(ArchiveError) {
        guard let canonical = try? CanonicalURL(url), canonical.isOfHTTP, canonical.query == nil else {
            throw ArchiveError(.invalidArgument, "\(url) is not an http or https URL without a query")
        }
        // The client sends neither, and errors would show them.
        guard canonical.userinfo == nil else {
            throw ArchiveError(.invalidArgument, "the address of a folder has a user name or a password; leave it out")
        }
        let text = canonical.description
        name = text.hasSuffix("/") ? text : text + "/"
        self.limits = limits
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(
                connect: .seconds(10), read: .nanoseconds(limits.silence.nanoseconds)))
        configuration.httpVersion = .http1Only
        configuration.http1_1ConnectionDebugInitializer = StatusCheck.add
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit { try? client.syncShutdown() }

    /// Loads a whole file, and waits for it.
    ///
    /// - Parameters:
    ///   - name: the name of the file in the folder.
    ///   - limit: the limit in bytes. The load ends as soon as the host sends more, or says that it will.
    /// - Throws: `notFound` for a response with status 404 or 410; `limitExceeded` for a longer file; `io` for any other status but 200, for a host
    ///   that cannot be reached or is too slow, and for redirects that are not followed.
    public func bytes(of name: String, atMost limit: Int) throws(ArchiveError) -> [UInt8] {
        let receiver = Receiver(address: self.name + name, offset: 0, limit: UInt64(limit), isExact: false)
        try load(name, receiver, Pace(limits.span, minimumLength: nil))
        return receiver.bytes
    }

    /// Loads the rest of a file, waits for it, and appends it to another file as it arrives.
    ///
    /// The rest is requested as a range (RFC 9110 section 14.2). If a host sends the whole file, it is read from its beginning, and the
    /// existing bytes are skipped.
    ///
    /// - Parameters:
    ///   - name: the name of the file in the folder.
    ///   - offset: the first byte.
    ///   - length: the length of the whole file, in bytes.
    ///   - file: the other file, at its end.
    ///   - progress: a function that is called once, at the end, with the received bytes.
    /// - Throws: `damaged` for a host whose file has another length; `notFound` also for the status 401 and 403; else as ``bytes(of:atMost:)``, with `io` also for a response that ends early and if
    ///   the other file cannot be written. Bytes that were already received stay in the other file.
    public func append(
        _ name: String, from offset: UInt64, length: UInt64, to file: SystemPackage.FileDescriptor,
        progress: (Int) -> Void
    ) throws(ArchiveError) {
        let receiver = Receiver(address: self.name + name, offset: offset, limit: length, isExact: true)
        receiver.file = file
        defer { progress(Int(receiver.position - offset)) }
        try load(name, receiver, Pace(limits.span, minimumLength: limits.minimumLength))
        guard receiver.position == length else {
            throw ArchiveError(
                .io,
                "the host ended the response at byte \(receiver.position) of \(length); the next run continues there",
                path: self.name + name)
        }
    }

    /// Loads a file, and waits for it; follows redirects, and repeats a request whose connection was lost.
    ///
    /// - Parameter pace: the limit of time for all requests of the file together.
    /// - Throws: as the function that calls it.
    private func load(_ name: String, _ receiver: Receiver, _ pace: Pace) throws(ArchiveError) {
        var pace = pace
        var address = self.name + name
        var redirects = 0
        var mayRetry = true
        while true {
            switch try request(address, receiver, &pace) {
            case nil: return
            case .lostConnection(let error):
                guard mayRetry else { throw error }
                mayRetry = false
                continue
            case .wrongRange: receiver.asksForRange = false
            case .redirect(let target):
                address = try Self.address(redirectedTo: target, from: address)
                redirects += 1
                guard redirects <= 5 else {
                    throw ArchiveError(.io, "too many redirects (limit 5)", path: self.name + name)
                }
            }
            mayRetry = true
        }
    }

    /// Returns the next address, without the user name and password of the redirect target.
    private static func address(redirectedTo target: String, from address: String) throws(ArchiveError) -> String {
        guard target.utf8.count <= maximumTargetLength, let next = try? CanonicalURL(address).resolving(target),
            let next = next.withoutUserinfo
        else {
            throw ArchiveError(
                .io, "redirect to an invalid URL, or to one of more than \(maximumTargetLength) bytes", path: address)
        }
        let text = next.description
        guard next.isOfHTTP, !address.hasPrefix("https:") || text.hasPrefix("https:") else {
            let shown = text.utf8.count > 500 ? "\(text.prefix(500))…" : text
            throw ArchiveError(.io, "unsupported redirect to \(shown)", path: address)
        }
        return text
    }

    /// The maximum length of a target, in bytes: the length that all recipients should support (RFC 9110 section 4.1).
    private static let maximumTargetLength = 8000

    /// Sends one request.
    ///
    /// - Returns: the reason for another request; nil when the file is complete.
    private func request(
        _ address: String, _ receiver: Receiver, _ pace: inout Pace
    ) throws(ArchiveError) -> Receiver.Detour? {
        do {
            var headers = HTTPHeaders([("User-Agent", "webarc"), ("Accept-Encoding", "identity")])
            if receiver.asksForRange { headers.add(name: "Range", value: "bytes=\(receiver.offset)-") }
            let request = try HTTPClient.Request(url: address, headers: headers)
            receiver.begin(address)
            let task = client.execute(request: request, delegate: receiver)
            let isDone = DispatchSemaphore(value: 0)
            task.futureResult.whenComplete { _ in isDone.signal() }
            while isDone.wait(timeout: pace.end) == .timedOut {
                if !pace.goesOn(after: receiver.received.load(ordering: .relaxed)) {
                    task.fail(reason: ArchiveError(.io, "the host is too slow; try again later", path: address))
                    break
                }
            }
            try task.wait()
            return nil
        } catch let error as ArchiveError {
            throw error
        } catch let detour as Receiver.Detour {
            return detour
        } catch {
            let failure = ArchiveError(.io, HostFailure.message(error), path: address)
            // A timeout does not mean that the connection closed.
            let error = error as? HTTPClientError
            let isEnd = error == .remoteConnectionClosed || receiver.isSent && error != .readTimeout
            guard isEnd, !receiver.hasHead else { throw failure }
            return .lostConnection(failure)
        }
    }
}

extension CanonicalURL {
    /// The URL without its user name and password, which errors would show; nil if no canonical URL remains.
    fileprivate var withoutUserinfo: CanonicalURL? {
        guard let userinfo else { return self }
        return try? CanonicalURL(utf8: Array(bytes[..<userinfo.startIndex] + bytes[userinfo.endIndex...].dropFirst()))
    }
}
