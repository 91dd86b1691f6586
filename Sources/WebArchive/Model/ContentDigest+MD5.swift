// SPDX-License-Identifier: Apache-2.0

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
}
