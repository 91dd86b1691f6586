// SPDX-License-Identifier: Apache-2.0

/// A sink that collects little-endian values: the mirror of ``ByteCursor``.
package struct ByteSink {
    /// The bytes so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates a sink without bytes.
    package init() {}

    /// Appends an integer, little-endian, in the type's width.
    package mutating func integer<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes as they are.
    package mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// Appends that many zero bytes, for what is reserved.
    package mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

    /// The mirror of ``ByteCursor/name()``; `text` has 1 to 63 bytes.
    package mutating func name(_ text: String) {
        integer(UInt8(text.utf8.count))
        append(text.utf8)
    }

    /// Appends the CRC of everything so far.
    package mutating func checksum() { integer(Checksum.of(bytes)) }
}
