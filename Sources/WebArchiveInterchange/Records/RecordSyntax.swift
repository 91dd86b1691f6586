// SPDX-License-Identifier: Apache-2.0

/// The syntax of the records of a format.
protocol RecordSyntax {
    /// The maximum length of the bytes by which the beginning of a record is recognised.
    var maximumStartLength: Int { get }

    /// Returns whether a record begins with the bytes.
    func isStart(_ bytes: ArraySlice<UInt8>) -> Bool

    /// Returns the first place in the bytes at which a record begins; nil for none.
    func firstStart(_ bytes: ArraySlice<UInt8>) -> Int?

    /// Reads the head of a record, with which the bytes begin.
    ///
    /// - Parameter offset: the offset of the bytes in the file, for the head and for errors.
    /// - Returns: the head, nil for one that does not state the length of the block, and the number of its bytes; nil if it does not end within
    ///   the bytes.
    func head(_ bytes: ArraySlice<UInt8>, offset: UInt64) -> (head: RecordHead?, length: Int)?
}

extension RecordSyntax {
    func firstStart(_ bytes: ArraySlice<UInt8>) -> Int? {
        if isStart(bytes) { return bytes.startIndex }
        var rest = bytes
        while let feed = rest.firstIndex(of: UInt8(ascii: "\n")) {
            rest = rest[(feed + 1)...]
            if isStart(rest) { return rest.startIndex }
        }
        return nil
    }
}
