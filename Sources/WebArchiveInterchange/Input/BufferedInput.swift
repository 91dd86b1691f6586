// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A window of the next bytes of an input: they can be looked at before they are consumed.
final class BufferedInput {
    private let source: any ByteInput
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)
    private var start = 0
    private var end = 0
    private var isAtEnd = false
    /// A function that is called with the number of bytes that were read each time, also of unused ones. Its errors end the input.
    var charge: ((Int) throws(ArchiveError) -> Void)?
    /// The error behind the bytes of the window: they come before it.
    private(set) var failure: ArchiveError?

    init(_ source: any ByteInput) { self.source = source }

    /// The name of the file, for errors.
    var name: String { source.name }
    /// The offset in the file up to which bytes were read: at or shortly after the next byte.
    ///
    /// In a plain file it is that of the next byte.
    var fileOffset: UInt64 { source.isPlain ? source.fileOffset - UInt64(end - start) : source.fileOffset }
    /// The number of bytes of the file that were read so far.
    var readLength: UInt64 { source.readLength }
    /// The maximum number of bytes that ``peek(_:)`` can return.
    static let maximumPeek = 1 << 17

    /// Whether no bytes come after those of the window, or none that can be decoded.
    var isLastWindow: Bool { isAtEnd || failure != nil }

    /// Returns the next bytes without consuming them: fewer than `count` at the end and before damage only.
    ///
    /// - Parameter count: at most ``maximumPeek``.
    /// - Throws: the error of the source if no byte comes before it.
    func peek(_ count: Int) throws(ArchiveError) -> ArraySlice<UInt8> {
        while end - start < count, fill() {}
        if start == end, let failure { throw failure }
        return buffer[start..<min(end, start + count)]
    }

    /// Consumes bytes that were looked at.
    func consume(_ count: Int) { start += count }

    /// Consumes bytes, and calls a function with them piece by piece.
    ///
    /// - Returns: the number of bytes, fewer than `count` at the end only.
    func take(
        _ count: UInt64, _ work: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> UInt64 {
        var left = count
        while left > 0 {
            if start == end {
                if fill() { continue }
                if let failure { throw failure }
                break
            }
            let length = Int(min(UInt64(end - start), left))
            let range = start..<start + length
            try buffer.withBytes { (bytes) throws(ArchiveError) in
                try work(UnsafeRawBufferPointer(rebasing: bytes[range]))
            }
            start += length
            left -= UInt64(length)
        }
        return count - left
    }

    /// Continues behind damage: of the compressed form at the next place where it can be decoded, otherwise with the next byte.
    func skipDamage() throws(ArchiveError) -> Bool {
        // The bytes before a fault of the source were decoded; if their content is damaged, it can be right again before that fault.
        guard start == end, failure != nil else {
            return true
        }
        (start, end, isAtEnd, failure) = (0, 0, false, nil)
        return try source.skipDamage()
    }

    /// Reads more bytes; false at the end and before damage.
    private func fill() -> Bool {
        guard !isAtEnd, failure == nil else { return false }
        if start > 0, end == buffer.count || start == end {
            buffer.replaceSubrange(0..<end - start, with: buffer[start..<end])
            (start, end) = (0, end - start)
        }
        let (from, source) = (end, source)
        do throws(ArchiveError) {
            let count = try buffer.withMutableBytes { (bytes) throws(ArchiveError) in
                try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[from...]))
            }
            try charge?(count)
            end += count
            isAtEnd = count == 0
        } catch {
            failure = error
        }
        return !isAtEnd && failure == nil
    }
}
