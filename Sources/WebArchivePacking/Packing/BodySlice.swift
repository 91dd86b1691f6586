// SPDX-License-Identifier: Apache-2.0

/// Memory that is filled once and then only read, by any thread.
final class SharedBuffer: @unchecked Sendable {
    // Whoever makes a buffer fills it before handing it on.
    let bytes: UnsafeMutableRawBufferPointer

    init(_ count: Int) { bytes = .allocate(byteCount: count, alignment: 64) }
    deinit { bytes.deallocate() }
}

/// A part of a shared buffer, which it keeps alive.
struct BodySlice: Sendable {
    let buffer: SharedBuffer
    let range: Range<Int>

    var count: Int { range.count }
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer.bytes[range]) }

    func part(_ range: Range<Int>) -> BodySlice {
        BodySlice(buffer: buffer, range: self.range.lowerBound + range.lowerBound..<self.range.lowerBound + range.upperBound)
    }
}
