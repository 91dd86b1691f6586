// SPDX-License-Identifier: Apache-2.0

import CWebArchiveKernels
import Crypto

extension ContentDigest {
    /// Computes the MD5 of bytes in memory (RFC 1321), on the calling thread. It copies nothing.
    public init(hashing bytes: RawSpan) { self = bytes.withUnsafeBytes { ContentDigest(hashing: $0) } }

    /// Computes the MD5 of bytes in memory (RFC 1321), on the calling thread. It copies nothing.
    public init(hashing bytes: [UInt8]) { self = bytes.withUnsafeBytes { ContentDigest(hashing: $0) } }

    /// Computes the MD5 of bytes in memory, on the calling thread.
    package init(hashing bytes: UnsafeRawBufferPointer) {
        var hash = Insecure.MD5()
        hash.update(bufferPointer: bytes)
        self = hash.finalize().withUnsafeBytes { ContentDigest(rawBytes: $0) }
    }

    /// Computes the digests of many bodies on the calling thread, several at a time if the processor can.
    ///
    /// - Parameter bodies: the bodies, which must be valid until it returns.
    /// - Returns: one digest for each body, in their order.
    package static func digests(of bodies: [UnsafeRawBufferPointer]) -> [ContentDigest] {
        let messages = bodies.map { bytes in
            webarchive_message(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), length: bytes.count)
        }
        var digests = [webarchive_md5_digest](repeating: webarchive_md5_digest(), count: bodies.count)
        webarchive_md5_many(messages, messages.count, &digests)
        return digests.map { digest in withUnsafeBytes(of: digest) { ContentDigest(rawBytes: $0) } }
    }
}
