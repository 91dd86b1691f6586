// SPDX-License-Identifier: Apache-2.0

import Crypto
import NIOCore
import NIOHTTP1
import WebArchive

/// A request whose content is being received: it is hashed, and kept only while it may be compared with stored content.
struct IncomingRequest {
    let head: HTTPRequestHead
    /// The number of bytes of content so far.
    private(set) var length = 0
    /// The content so far; nil if it is not compared, or too long.
    private var kept: [UInt8]?
    private var hash: Insecure.MD5?

    /// Creates a request without content. That of a POST is kept, up to a length (specification section 8.5, rule 13).
    init(_ head: HTTPRequestHead) {
        self.head = head
        kept = head.method == .POST ? [] : nil
    }

    /// Adds content.
    ///
    /// - Parameter hasRoom: whether the client may hold more memory.
    /// - Returns: the number of bytes that are kept.
    mutating func add(_ bytes: ByteBuffer, hasRoom: Bool) -> Int {
        length += bytes.readableBytes
        var hash = hash ?? Insecure.MD5()
        bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        self.hash = hash
        if !hasRoom || length > MatchRequest.maximumContentLength { kept = nil }
        guard kept != nil else { return 0 }
        kept?.append(contentsOf: bytes.readableBytesView)
        return bytes.readableBytes
    }

    /// The digest of the content; nil without content.
    var digest: ContentDigest? { hash.map { $0.finalize().withUnsafeBytes { ContentDigest(rawBytes: $0) } } }

    /// The content; nil without content, and if it is not compared.
    var content: [UInt8]? { hash == nil ? nil : kept }
}
