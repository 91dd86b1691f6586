// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A decoder of the transfer coding `chunked` (RFC 9112 section 7.1). Extensions and trailer fields are read over.
final class ChunkedDecoder: ContentDecoder {
    private enum State: Equatable {
        /// The line with a size; the digits so far.
        case size(UInt64?)
        /// The rest of that line, up to LF.
        case afterSize(UInt64)
        case data(UInt64)
        /// The line end after the data, of which CR may have come.
        case dataEnd
        /// A line of the trailer section, with the number of its bytes so far.
        case trailer(Int)
        case end
    }

    private var state = State.size(nil)
    /// The number of bytes of lines, which are of no use.
    private var overhead = 0

    /// The maximum number of bytes of extensions and trailer fields.
    private static let maximumOverhead = 1 << 20

    func decode(
        _ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        var position = 0
        while position < bytes.count {
            if case .data(let left) = state {
                let count = Int(min(left, UInt64(bytes.count - position)))
                try emit(UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
                position += count
                state = left == UInt64(count) ? .dataEnd : .data(left - UInt64(count))
                continue
            }
            try step(bytes[position])
            position += 1
        }
    }

    private func step(_ byte: UInt8) throws(ArchiveError) {
        let (feed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        switch state {
        case .size(let size):
            if let digit = PercentEncoding.hexValue(byte) {
                let size = size ?? 0
                guard size >> 60 == 0 else { throw .damaged("a chunk size of more than 64 bits") }
                state = .size(size << 4 | UInt64(digit))
            } else {
                guard let size else { throw .damaged("no chunk size") }
                // RFC 9112 section 7.1.1: blanks and an extension may follow.
                guard [feed, carriageReturn, UInt8(ascii: ";"), UInt8(ascii: " "), UInt8(ascii: "\t")].contains(byte)
                else { throw .damaged("invalid chunk size") }
                state = byte == feed ? Self.afterLine(size) : .afterSize(size)
            }
        case .afterSize(let size):
            if byte == feed { state = Self.afterLine(size) } else { try count() }
        case .dataEnd:
            guard byte == feed || byte == carriageReturn else { throw .damaged("a chunk is longer than its size") }
            if byte == feed { state = .size(nil) }
        case .trailer(let length):
            try count()
            if byte == feed {
                state = length == 0 ? .end : .trailer(0)
            } else if byte != carriageReturn {
                state = .trailer(length + 1)
            }
        case .data, .end: break
        }
    }

    private static func afterLine(_ size: UInt64) -> State { size == 0 ? .trailer(0) : .data(size) }

    private func count() throws(ArchiveError) {
        overhead += 1
        guard overhead <= Self.maximumOverhead else { throw .damaged("chunk extensions of more than 1 MiB") }
    }

    func finish() throws(ArchiveError) {
        // Many writers leave out the last line end, or the whole last chunk's line.
        switch state {
        case .end, .trailer(0): return
        default: throw ArchiveError(.truncated, "the chunked content is cut off")
        }
    }
}
