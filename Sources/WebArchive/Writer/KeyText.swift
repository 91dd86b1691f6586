// SPDX-License-Identifier: Apache-2.0

/// The text of keys, in consecutive pieces that never move.
final class KeyText {
    // Allocated by `append`, freed in deinit; in between, bytes that were appended are only read.
    private var pieces: [UnsafeMutableRawBufferPointer] = []
    private var used = 0

    private static let pieceLength = 1 << 20

    deinit { for piece in pieces { piece.deallocate() } }

    /// Appends a key and returns its position. No key is in two pieces.
    func append(_ key: [UInt8]) -> UInt64 {
        if pieces.isEmpty || used + key.count > pieces[pieces.count - 1].count {
            // The first piece is short: most archives are small.
            let length = pieces.isEmpty ? FormatLimits.maximumKeyLength : Self.pieceLength
            pieces.append(.allocate(byteCount: length, alignment: 1))
            used = 0
        }
        let last = pieces.count - 1
        UnsafeMutableRawBufferPointer(rebasing: pieces[last][used...]).copyBytes(from: key)
        defer { used += key.count }
        return UInt64(last * Self.pieceLength + used)
    }

    /// Returns the bytes of a key, which do not move for the lifetime of this object.
    func key(at position: UInt64, length: Int) -> UnsafeRawBufferPointer {
        let (piece, start) = Int(position).quotientAndRemainder(dividingBy: Self.pieceLength)
        return UnsafeRawBufferPointer(rebasing: pieces[piece][start..<start + length])
    }
}
