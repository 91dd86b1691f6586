// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization
import SystemPackage
import WebArchive

/// A receiver of one file, which accepts no more bytes than the file may have. Used by one event loop at a time.
final class Receiver: HTTPClientResponseDelegate, @unchecked Sendable {
    // The client calls the methods one after another, and its caller waits for the end.
    typealias Response = Void

    /// A response that requires another request. It is thrown, so that the connection ends and its body is not read.
    enum Detour: Error {
        /// The response has its content elsewhere; with the `Location` field as it came (RFC 9110 section 10.2.2).
        case redirect(String)
        /// The host refuses the range, or sends a different one.
        case wrongRange
        /// The connection ended before any part of a response; with the error to throw if it ends again.
        case lostConnection(ArchiveError)
    }

    /// The address of the present request, for errors.
    private var address: String
    /// The offset of the first requested byte.
    let offset: UInt64
    /// Whether only the rest is requested.
    var asksForRange: Bool
    /// The exact or maximum length of the file.
    private let limit: UInt64
    /// Whether ``limit`` is the exact length, so that a longer file is damaged and not only beyond a limit.
    private let isExact: Bool
    /// The file that gets the bytes; nil to collect them.
    var file: SystemPackage.FileDescriptor?
    /// The content, as long as no file gets it.
    private(set) var bytes: [UInt8] = []
    /// The offset in the file of the next byte.
    private(set) var position: UInt64
    /// The number of bytes to skip, of a host that ignores ranges.
    private var skipped: UInt64 = 0
    /// Whether the request was sent.
    private(set) var isSent = false
    /// Whether a part of a response arrived.
    private(set) var hasHead = false
    /// The number of received content bytes, including skipped ones.
    let received = Atomic<UInt64>(0)

    /// Creates a receiver for the rest of a file; the range is requested unless the offset is 0.
    ///
    /// - Parameters:
    ///   - offset: the first byte, at most `limit`.
    ///   - limit: the length of the file, or its maximum, in bytes.
    ///   - isExact: whether `limit` is the exact length.
    init(address: String, offset: UInt64, limit: UInt64, isExact: Bool) {
        (self.address, self.offset, self.limit, self.isExact, position) = (address, offset, limit, isExact, offset)
        asksForRange = offset > 0
    }

    /// Prepares for the next request.
    func begin(_ address: String) { (self.address, isSent, hasHead) = (address, false, false) }

    /// Notes the request, which may have reached the host by then.
    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) { isSent = true }

    /// Checks the status and the length. An error ends the connection before the content is read.
    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        task.eventLoop.makeCompletedFuture { try take(head) }
    }

    /// Takes the beginning of a response.
    ///
    /// - Throws: a ``Detour``; `notFound` for the status 404 and 410, and 401 and 403 of a file in the list, which hosts send in their place;
    ///   `io` for other statuses; `damaged` or `limitExceeded` for too long a file, `damaged` for too short a one in the list.
    private func take(_ head: HTTPResponseHead) throws {
        hasHead = true
        switch head.status.code {
        case 200: skipped = offset
        case 206 where asksForRange:
            guard head.headers.first(name: "Content-Range")?.hasPrefix("bytes \(offset)-") == true else {
                throw Detour.wrongRange
            }
            skipped = 0
        case 416 where asksForRange: throw Detour.wrongRange
        case 301, 302, 303, 307, 308:
            guard let location = head.headers.first(name: "Location") else {
                throw ArchiveError(.io, "redirect without a Location field", path: address)
            }
            throw Detour.redirect(location)
        case 404, 410: throw ArchiveError(.notFound, "the file does not exist on the host", path: address)
        // Storage services do not say which files exist.
        case 401 where isExact, 403 where isExact:
            throw ArchiveError(.notFound, "the host responded with status \(head.status.code)", path: address)
        default: throw ArchiveError(.io, "the host responded with status \(head.status.code)", path: address)
        }
        if let length = head.headers.first(name: "Content-Length").flatMap({ UInt64($0) }),
            length > limit - offset + skipped
        {
            throw tooLong()
        }
        // The next run would wait for the rest as well.
        if isExact, let length = Self.fileLength(head), length < limit {
            throw ArchiveError(
                .damaged,
                "the file has \(length) bytes on the host, and \(limit) in the list; try again when the folder is complete",
                path: address)
        }
    }

    /// Returns the length of the whole file by a response's `Content-Length`, or by its `Content-Range` (RFC 9110 section 14.4); nil if it has
    /// neither.
    private static func fileLength(_ head: HTTPResponseHead) -> UInt64? {
        guard head.status == .partialContent else {
            return head.headers.first(name: "Content-Length").flatMap { UInt64($0) }
        }
        return head.headers.first(name: "Content-Range")?.split(separator: "/").last.flatMap { UInt64($0) }
    }

    /// Returns the error of a host that sends more than the file may have.
    private func tooLong() -> ArchiveError {
        ArchiveError(
            isExact ? .damaged : .limitExceeded, "the response exceeds \(limit) bytes; check the address",
            path: address)
    }

    /// Takes content on the event loop, which waits until it is written.
    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        task.eventLoop.makeCompletedFuture { try take(buffer) }
    }

    /// Appends content to the file or to ``bytes``, without the part that is to be skipped.
    ///
    /// - Throws: `damaged` or `limitExceeded` for more bytes than the file may have; `io` if they cannot be written.
    private func take(_ buffer: ByteBuffer) throws {
        var part = buffer.readableBytesView
        received.add(UInt64(part.count), ordering: .relaxed)
        let known = min(skipped, UInt64(part.count))
        skipped -= known
        part = part.dropFirst(Int(known))
        guard UInt64(part.count) <= limit - position else { throw tooLong() }
        if let file {
            do {
                try file.writeAll(part)
            } catch {
                // The host is not to blame for a full disk.
                throw ArchiveError(.io, "cannot write the loaded data", path: address, cause: error)
            }
        } else {
            bytes += part
        }
        position += UInt64(part.count)
    }

    /// Leaves the check of the length to the caller, which knows whether it is exact.
    func didFinishRequest(task: HTTPClient.Task<Void>) throws {}
}
