// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive

/// A memory buffer that is filled once and then only read, by any thread.
final class SharedBuffer: @unchecked Sendable {
    // The creator of a buffer fills it before it shares the buffer.
    let bytes: UnsafeMutableRawBufferPointer
    private let pool: BufferPool?

    convenience init(_ count: Int) { self.init(.allocate(byteCount: count, alignment: 64), of: nil) }

    fileprivate init(_ bytes: UnsafeMutableRawBufferPointer, of pool: BufferPool?) {
        self.bytes = bytes
        self.pool = pool
    }

    deinit { if let pool { pool.putBack(bytes) } else { bytes.deallocate() } }
}

/// A pool of reusable buffers of one length: fresh memory of this size would be mapped and cleared by the system each time.
final class BufferPool: @unchecked Sendable {
    // Memory in the list has no other owner.
    private let free = Mutex<[UInt]>([])
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
    let range: Range<Int>

    var count: Int { range.count }
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer.bytes[range]) }

    func part(_ part: Range<Int>) -> BodySlice {
        BodySlice(buffer: buffer, range: range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound)
    }
}
