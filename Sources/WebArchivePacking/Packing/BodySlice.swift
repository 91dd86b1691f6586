// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive

/// A memory buffer that is filled once and then only read, by any thread.
final class SharedBuffer: @unchecked Sendable {
    // The creator of a buffer fills it before it shares the buffer.
    /// The memory, initially not initialised. It is valid as long as the buffer has a reference.
    let bytes: UnsafeMutableRawBufferPointer
    /// The pool that takes the memory back; nil if it is freed.
    private let pool: BufferPool?

    /// Allocates memory of a number of bytes outside of any pool, aligned to 64 bytes.
    convenience init(_ count: Int) { self.init(.allocate(byteCount: count, alignment: 64), of: nil) }

    fileprivate init(_ bytes: UnsafeMutableRawBufferPointer, of pool: BufferPool?) {
        self.bytes = bytes
        self.pool = pool
    }

    deinit { if let pool { pool.putBack(bytes) } else { bytes.deallocate() } }
}

/// A pool of reusable buffers of one length: fresh memory of this size would be mapped and cleared by the system each time.
///
/// Any thread may use it. Memory that was put back stays allocated until the pool ends.
final class BufferPool: @unchecked Sendable {
    // Memory in the list has no other owner.
    /// The addresses of the unused memory.
    private let free = Mutex<[UInt]>([])
    /// The length of each buffer, in bytes.
    let length: Int

    init(length: Int) { self.length = length }

    deinit {
        free.withLock { addresses in
            for address in addresses { buffer(at: address).deallocate() }
        }
    }

    /// Returns a buffer of the pool's length.
    func take() -> SharedBuffer {
        let known = free.withLock { $0.popLast() }
        return SharedBuffer(known.map(buffer) ?? .allocateInLargePages(length), of: self)
    }

    /// Takes memory back, on the thread that releases the last slice of its buffer.
    fileprivate func putBack(_ bytes: UnsafeMutableRawBufferPointer) {
        free.withLock { $0.append(UInt(bitPattern: bytes.baseAddress)) }
    }

    private func buffer(at address: UInt) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(bitPattern: address), count: length)
    }
}

/// A part of a shared buffer, which it keeps alive.
struct BodySlice: Sendable {
    let buffer: SharedBuffer
    /// The part of the buffer, in bytes.
    let range: Range<Int>

    var count: Int { range.count }
    /// The bytes, valid only as long as the slice or its buffer has a reference.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer.bytes[range]) }

    /// Returns a part of the slice, without a copy.
    ///
    /// - Parameter part: the range in bytes from the start of the slice, within its ``count``, which is a precondition.
    func part(_ part: Range<Int>) -> BodySlice {
        BodySlice(buffer: buffer, range: range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound)
    }
}
