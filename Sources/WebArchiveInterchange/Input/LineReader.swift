// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A reader of lines of text, of which one at a time is in memory.
final class LineReader {
    /// A line, without its line end.
    struct Line {
        /// The bytes; empty if ``isTooLong``.
        var bytes: [UInt8] = []
        /// The offset in the file.
        let offset: UInt64
        /// The number of bytes, also of a line that exceeds the limit.
        var length = 0
        /// Whether the line exceeds the limit.
        var isTooLong = false
    }

    private let input: BufferedInput
    private let maximumLength: Int

    /// - Parameter maximumLength: the maximum length of a line, in bytes.
    init(_ input: BufferedInput, maximumLength: Int) { (self.input, self.maximumLength) = (input, maximumLength) }

    /// Reads the next line; nil at the end.
    ///
    /// - Throws: errors of the input, behind the lines before the fault.
    func next() throws(ArchiveError) -> Line? {
        var line = Line(offset: input.fileOffset)
        var isEmpty = true
        while true {
            let window = try input.peek(BufferedInput.maximumPeek)
            guard !window.isEmpty else { return isEmpty ? nil : line }
            isEmpty = false
            let end = window.firstIndex(of: 0x0A)
            let part = window[..<(end ?? window.endIndex)]
            line.length += part.count
            if line.isTooLong || line.bytes.count + part.count > maximumLength {
                (line.bytes, line.isTooLong) = ([], true)
            } else {
                line.bytes += part
            }
            input.consume(part.count + (end == nil ? 0 : 1))
            if end != nil { return line }
        }
    }
}
