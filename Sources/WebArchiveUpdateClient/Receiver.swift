// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import SystemPackage
import WebArchive

/// A receiver of one file, which takes no more bytes than the file may have. Used by one event loop at a time.
final class Receiver: HTTPClientResponseDelegate, @unchecked Sendable {
    // The client calls the methods one after another, and its caller waits for the end.
    typealias Response = String?

    var address: String
    /// The first byte that is wanted.
    let offset: UInt64
    /// The length that the file has, or may have at most.
    private let limit: UInt64
    private let isExact: Bool
    /// The file that gets the bytes; nil to collect them.
    var file: SystemPackage.FileDescriptor?
    private(set) var bytes: [UInt8] = []
    /// The place in the file of the next byte.
    private(set) var position: UInt64
    /// The bytes of a host that ignores ranges, which are there already.
    private var skipped: UInt64 = 0
    private var target: String?

    init(address: String, offset: UInt64, limit: UInt64, isExact: Bool) {
        (self.address, self.offset, self.limit, self.isExact, position) = (address, offset, limit, isExact, offset)
    }

    func didReceiveHead(task: HTTPClient.Task<String?>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        task.eventLoop.makeCompletedFuture { try take(head) }
    }

    private func take(_ head: HTTPResponseHead) throws {
        target = nil
        switch head.status.code {
        case 200: skipped = offset
        case 206 where offset > 0:
            guard head.headers.first(name: "Content-Range")?.hasPrefix("bytes \(offset)-") == true else {
                throw ArchiveError(.io, "the host sends another range than was asked for", path: address)
            }
            skipped = 0
        case 301, 302, 303, 307, 308:
            guard let location = head.headers.first(name: "Location") else {
                throw ArchiveError(.io, "a redirect without a target", path: address)
            }
            target = location
        case 404, 410: throw ArchiveError(.notFound, "the host has no such file", path: address)
        default: throw ArchiveError(.io, "the host responds with status \(head.status.code)", path: address)
        }
        if target == nil, let length = head.headers.first(name: "Content-Length").flatMap({ UInt64($0) }),
            length > limit - offset + skipped
        {
            throw tooLong()
        }
    }

    private func tooLong() -> ArchiveError {
        ArchiveError(
            isExact ? .damaged : .limitExceeded, "the host sends more than \(limit) bytes", path: address)
    }

    func didReceiveBodyPart(task: HTTPClient.Task<String?>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        task.eventLoop.makeCompletedFuture { try take(buffer) }
    }

    private func take(_ buffer: ByteBuffer) throws {
        guard target == nil else { return }
        var part = buffer.readableBytesView
        let known = min(skipped, UInt64(part.count))
        skipped -= known
        part = part.dropFirst(Int(known))
        guard UInt64(part.count) <= limit - position else { throw tooLong() }
        if let file {
            do {
                try file.writeAll(part)
            } catch {
                // The host is not to blame for a full disk.
                throw ArchiveError(.io, "cannot write what was loaded", path: address, cause: error)
            }
        } else {
            bytes += part
        }
        position += UInt64(part.count)
    }

    func didFinishRequest(task: HTTPClient.Task<String?>) throws -> String? { target }
}
