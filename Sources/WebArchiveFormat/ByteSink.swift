// SPDX-License-Identifier: Apache-2.0

/// A sink that collects little-endian values: the counterpart of ``ByteCursor``.
package struct ByteSink {
    /// The bytes so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates a sink without bytes.
    package init() {}

    /// Appends an integer, little-endian, in the type's width.
    package mutating func integer<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes unchanged.
    package mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// Appends `count` zero bytes, for reserved fields.
    package mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

    /// Appends a length byte and a text of 1 to 63 bytes: the counterpart of ``ByteCursor/name()``.
    package mutating func name(_ text: String) {
        integer(UInt8(text.utf8.count))
        append(text.utf8)
    }

    /// Appends the CRC of all bytes so far.
    package mutating func checksum() { integer(Checksum.of(bytes)) }
}
