// SPDX-License-Identifier: Apache-2.0

/// The significant lines of a `_headers` or `_redirects` file: trimmed, neither empty nor comment.
///
/// Works on UTF-8 bytes, since `String` takes CR LF for one character. Both hosts trim each line and
/// drop those which start with `#`.
package struct RuleFileLines {
    /// The maximum length of a file, in bytes.
    static let fileLimit = 4 << 20
    /// The maximum length of a line, in bytes. Cloudflare stops at 2,000; policies on Netlify grow longer.
    static let lineLimit = 16_384

    /// The lines in their order, each with its number from 1.
    package let lines: [(number: Int, bytes: ArraySlice<UInt8>)]
    /// The first lines that are not text of a rule: over the limit, or with control characters.
    package let faults: [RuleFileError]
    /// The maximum number of reported faults of one file.
    package static let maximumFaultCount = 1000

    /// Splits a file into lines.
    ///
    /// - Throws: `RuleFileError` for a file over its limit.
    package init(_ text: String) throws(RuleFileError) {
        var text = text
        let count = text.utf8.count
        guard count <= Self.fileLimit else {
            throw RuleFileError(line: 0, problem: .fileTooLarge(limit: Self.fileLimit))
        }
        text.makeContiguousUTF8()
        var rest = Array(text.utf8)[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }

        var lines: [(number: Int, bytes: ArraySlice<UInt8>)] = []
        var faults: [RuleFileError] = []
        var number = 0
        for line in rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let trimmed = line.trimmingRuleSpace()
            guard let first = trimmed.first, first != UInt8(ascii: "#") else { continue }
            guard trimmed.count <= Self.lineLimit else {
                if faults.count < Self.maximumFaultCount {
                    faults.append(RuleFileError(line: number, problem: .lineTooLong(limit: Self.lineLimit)))
                }
                continue
            }
            guard !trimmed.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
                if faults.count < Self.maximumFaultCount {
                    faults.append(RuleFileError(line: number, problem: .controlCharacter))
                }
                continue
            }
            lines.append((number, trimmed))
        }
        (self.lines, self.faults) = (lines, faults)
    }
}

extension ArraySlice<UInt8> {
    /// Returns the bytes without blanks, tabs and carriage returns at both ends.
    package func trimmingRuleSpace() -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        var slice = self
        while let first = slice.first, isSpace(first) { slice = slice.dropFirst() }
        while let last = slice.last, isSpace(last) { slice = slice.dropLast() }
        return slice
    }

    /// The string of these bytes, which were part of a string.
    package var ruleText: String { String(untrusted: self) }
}
