// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchive

/// An index of the records of WARC files, in the form CDXJ: a sorted line for each record.
///
/// All lines are in memory, some 300 bytes each.
struct CaptureIndex {
    private var text: [UInt8] = []
    private var starts: [Int] = []
    private let budget: InterchangeBudget

    /// The number of lines in a compressed block.
    private static let blockLineCount = 1024

    /// - Parameter budget: the budget for the lines, which can share a long URL.
    init(_ budget: InterchangeBudget) { self.budget = budget }

    /// Adds a record.
    ///
    /// - Parameters:
    ///   - key: the URL for the order, which may have more than the URL itself.
    ///   - time: the time of the capture.
    ///   - members: the members of the line.
    /// - Throws: `limitExceeded` for lines that take more than their archive many times.
    mutating func add(_ key: String, _ time: ArchiveTime, _ members: [JSONValue.Member]) throws(ArchiveError) {
        let start = text.count
        starts.append(start)
        text += URLKey.bytes(of: key)
        text += " \(IndexTime.text(time)) \(JSONValue.object(members).line)\n".utf8
        try budget.keep(text.count - start)
    }

    /// Writes the sorted lines in gzip members, and the list of these members.
    ///
    /// - Parameter name: the name of the file with the lines.
    /// - Returns: the compressed lines, and the list.
    func write(name: String) throws(ArchiveError) -> (lines: SpooledBody, list: SpooledBody) {
        let ends = starts.dropFirst() + [text.count]
        let lines = zip(starts, ends).map { text[$0..<$1] }.sorted { $0.lexicographicallyPrecedes($1) }
        let output = SpooledBody()
        let gzip = try GzipWriter(level: 6) { bytes throws(ArchiveError) in try output.append(bytes) }
        let head: JSONValue = ["format": "cdxj-gzip-1.0", "filename": .string(name)]
        var list = Array("!meta 0 \(head.line)\n".utf8)
        for start in stride(from: 0, to: lines.count, by: Self.blockLineCount) {
            let (offset, block) = (output.length, lines[start..<min(start + Self.blockLineCount, lines.count)])
            for line in block { try Array(line).withBytes { (bytes) throws(ArchiveError) in try gzip.write(bytes) } }
            try gzip.endMember()
            var hash = SHA256()
            try output.forEachBuffer(in: offset..<output.length) { bytes throws(ArchiveError) in
                hash.update(bufferPointer: bytes)
            }
            let place: JSONValue = [
                "offset": .number(offset), "length": .number(output.length - offset),
                "digest": .string("sha256:\(Array(hash.finalize()).hexadecimalDigits)"),
            ]
            // Up to the members: the key and the time.
            list += lines[start].prefix { $0 != UInt8(ascii: "{") } + Array("\(place.line)\n".utf8)
        }
        output.finish()
        return (output, try SpooledBody(list))
    }
}
