// SPDX-License-Identifier: Apache-2.0

/// A key of bytes that is hashed and compared as a whole, which is several times faster than byte by byte.
struct ByteKey: Hashable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }

    static func == (left: ByteKey, right: ByteKey) -> Bool {
        left.bytes.withUnsafeBytes { left in right.bytes.withUnsafeBytes { left.isEqual(to: $0) } }
    }
}
