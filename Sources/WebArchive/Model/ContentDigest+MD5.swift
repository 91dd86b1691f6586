// SPDX-License-Identifier: Apache-2.0

import CWebArchiveKernels
import Crypto

extension ContentDigest {
    /// Computes the digest of bytes in memory.
    public init(of bytes: UnsafeRawBufferPointer) {
        var hash = Insecure.MD5()
        hash.update(bufferPointer: bytes)
        self = hash.finalize().withUnsafeBytes { ContentDigest($0) }
    }

    /// Computes the digest of bytes in memory.
    public init(of bytes: [UInt8]) { self = bytes.withUnsafeBytes { ContentDigest(of: $0) } }

    /// Computes the digests of many bodies, several at a time.
    package static func digests(of bodies: [UnsafeRawBufferPointer]) -> [ContentDigest] {
        let messages = bodies.map { bytes in
            webarchive_message(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), length: bytes.count)
        }
        var digests = [webarchive_md5_digest](repeating: webarchive_md5_digest(), count: bodies.count)
        webarchive_md5_many(messages, messages.count, &digests)
        return digests.map { digest in withUnsafeBytes(of: digest) { ContentDigest($0) } }
    }
}
