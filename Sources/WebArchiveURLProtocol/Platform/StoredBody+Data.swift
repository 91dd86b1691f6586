// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

extension StoredBody {
    /// Returns the bytes of a range, all by default. Bytes in memory or in a file are not copied; coded ones are decoded into
    /// place, a long body by several threads.
    ///
    /// - Throws: `invalidArgument` if the range does not lie inside the body; `damaged` or `io`.
    func data(in range: Range<UInt64>? = nil) throws(ArchiveError) -> Data {
        switch self {
        case .spooled(let body):
            let whole = try body.mapping()
            guard let range else { return Data(whole.bytes) { withExtendedLifetime(whole) {} } }
            guard range.upperBound <= UInt64(whole.bytes.count) else {
                throw ArchiveError(
                    .invalidArgument, "the range \(range) exceeds the body of \(whole.bytes.count) bytes")
            }
            let part = UnsafeRawBufferPointer(rebasing: whole.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
            return Data(part) { withExtendedLifetime(whole) {} }
        case .archived(let body):
            return try Self.decoded(body, range ?? 0..<body.length)
        }
    }

    /// The length in bytes beyond which bodies are decoded by two threads.
    private static let parallelLength: UInt64 = 2 << 20

    private static func decoded(_ body: ArchiveBody, _ range: Range<UInt64>) throws(ArchiveError) -> Data {
        guard range.count >= parallelLength else { return Data(try body.bytes(in: range)) }
        // A small file may hold a body that no memory can.
        guard UInt64(range.count) <= ProcessInfo.processInfo.physicalMemory else {
            throw ArchiveError(.limitExceeded, "\(range.count) bytes exceed the address space of this device")
        }
        let memory = DecodedMemory(UnsafeMutableRawBufferPointer.allocateInLargePages(range.count))
        // Cut where blocks begin, so that none is decoded twice.
        let length = UInt64(body.blockLength)
        let middle = (range.lowerBound + UInt64(range.count) / 2 + length - 1) / length * length
        let parts = [range.lowerBound..<middle, middle..<range.upperBound]
        let failure = Mutex<ArchiveError?>(nil)
        DispatchQueue.concurrentPerform(iterations: parts.count) { number in
            do throws(ArchiveError) {
                try memory.fill(from: body, parts[number], at: Int(parts[number].lowerBound - range.lowerBound))
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        return Data(UnsafeRawBufferPointer(memory.bytes)) { withExtendedLifetime(memory) {} }
    }
}

/// A region of memory that a body is decoded into.
// Unchecked: each thread fills a part of its own, and no thread reads before all have ended.
private final class DecodedMemory: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }
    deinit { bytes.deallocate() }

    func fill(from body: ArchiveBody, _ range: Range<UInt64>, at start: Int) throws(ArchiveError) {
        try body.fill(UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + range.count]), with: range)
    }
}

extension Data {
    /// Creates data of bytes that do not move until the last reference is gone; then `release` is called.
    fileprivate init(_ bytes: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            release()
            self.init()
            return
        }
        // Data copies such bytes before it changes them: nothing is ever written through this pointer.
        self.init(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count,
            deallocator: .custom { _, _ in release() })
    }
}
