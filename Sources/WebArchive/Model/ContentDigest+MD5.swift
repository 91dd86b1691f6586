// SPDX-License-Identifier: Apache-2.0

import CWebArchiveKernels
import Crypto

extension ContentDigest {
    /// Computes the MD5 of bytes in memory, on the calling thread.
    public init(hashing bytes: RawSpan) { self = bytes.withUnsafeBytes { ContentDigest(hashing: $0) } }

    /// Computes the MD5 of bytes in memory, on the calling thread.
    public init(hashing bytes: [UInt8]) { self = bytes.withUnsafeBytes { ContentDigest(hashing: $0) } }

    package init(hashing bytes: UnsafeRawBufferPointer) {
        var hash = Insecure.MD5()
        hash.update(bufferPointer: bytes)
        self = hash.finalize().withUnsafeBytes { ContentDigest(rawBytes: $0) }
    }

    /// Computes the digests of many bodies, several at a time.
    package static func digests(of bodies: [UnsafeRawBufferPointer]) -> [ContentDigest] {
        let messages = bodies.map { bytes in
            webarchive_message(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), length: bytes.count)
        }
        var digests = [webarchive_md5_digest](repeating: webarchive_md5_digest(), count: bodies.count)
        webarchive_md5_many(messages, messages.count, &digests)
        return digests.map { digest in withUnsafeBytes(of: digest) { ContentDigest(rawBytes: $0) } }
    }
}
