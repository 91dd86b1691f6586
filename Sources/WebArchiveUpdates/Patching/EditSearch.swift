// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A search for the edits that transform a part of an old body into a piece of a new one.
///
/// Both are compared from the front. After a difference, the nearest position is used where both continue alike: nearly all edits of pages are
/// short, and are found among some 64 bytes.
struct EditSearch {
    /// The edits and the inserted bytes so far.
    private var result = ChunkEdits()
    /// The number of bytes that may still be compared after differences.
    private var budget: Int
    /// The positions of a window by hash, counted from 1; 0 for none.
    private var places = [UInt32](repeating: 0, count: 2 * windows[windows.count - 1])

    /// The numbers of bytes after a difference among which both sides are searched, in this order.
    private static let windows = [64, 1 << 10, 16 << 10, 64 << 10]
    /// The number of equal bytes where both continue.
    private static let shortest = 16

    /// Finds the edits that make the sent pieces of a chunk; nil if they are not similar.
    static func edits(of chunk: ContentChunk, _ sent: [UInt8], _ prefix: ContentChunk.Prefix) -> ChunkEdits? {
        guard prefix.parts.contains(where: { $0 != nil }) else { return nil }
        var search = EditSearch(length: sent.count + prefix.bytes.count)
        let isFound = sent.withUnsafeBytes { sent in
            prefix.bytes.withUnsafeBytes { prefixBytes in
                var end = 0
                for (piece, part) in zip(chunk.pieces.lazy.filter(\.isSent), prefix.parts) {
                    let bytes = UnsafeRawBufferPointer(rebasing: sent[end..<end + piece.range.count])
                    end += piece.range.count
                    guard let part else {
                        search.result.inserted += bytes
                        continue
                    }
                    let other = UnsafeRawBufferPointer(rebasing: prefixBytes[part.range])
                    guard search.add(bytes, other, from: part.start - part.range.lowerBound) else { return false }
                }
                return true
            }
        }
        return isFound ? search.result : nil
    }

    /// - Parameter length: the length of the pieces and their parts, in bytes.
    private init(length: Int) { budget = 4 * length + Self.windows.reduce(0, +) }

    /// Adds a piece.
    ///
    /// - Parameter start: the place in the part from which they are compared.
    /// - Returns: false if the search takes too long: the bytes are not alike.
    private mutating func add(_ piece: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer, from start: Int) -> Bool
    {
        var (position, other) = (0, start)
        while true {
            let count = Self.equalLength(piece, position, part, other)
            let left = part.count - other - count
            result.edits.appendSigned(Int64(count <= left ? count : -left - 1))
            position += count
            other += count
            if position == piece.count { return true }
            guard budget > 0 else { return false }
            guard let next = resumption(piece, position, part, other) else {
                result.edits.appendNumber(UInt64(piece.count - position))
                result.inserted += piece[position...]
                return true
            }
            result.edits.appendNumber(UInt64(next.position - position))
            result.inserted += piece[position..<next.position]
            result.edits.appendSigned(Int64(next.other - other))
            (position, other) = next
        }
    }

    /// Finds the position after a difference where both continue alike.
    private mutating func resumption(
        _ piece: UnsafeRawBufferPointer, _ position: Int, _ part: UnsafeRawBufferPointer, _ other: Int
    ) -> (position: Int, other: Int)? {
        for window in Self.windows {
            let ends = (piece: min(position + window, piece.count - 8), part: min(other + window, part.count - 8))
            guard position <= ends.piece, other <= ends.part else { return nil }
            budget -= 2 * window
            let shift = UInt64(64 - (2 * window).trailingZeroBitCount)
            for place in 0..<2 * window { places[place] = 0 }
            // Backwards, so that the first of equal ones stays.
            for place in stride(from: ends.part, through: other, by: -1) {
                places[Self.hash(part, place, shift)] = UInt32(place - other + 1)
            }
            for place in position...ends.piece {
                let found = Int(places[Self.hash(piece, place, shift)])
                guard found > 0 else { continue }
                let length = Self.equalLength(piece, place, part, other + found - 1)
                guard length >= Self.shortest || length > 0 && place + length == piece.count else { continue }
                var next = (position: place, other: other + found - 1)
                while next.position > position, next.other > other, piece[next.position - 1] == part[next.other - 1] {
                    next = (next.position - 1, next.other - 1)
                }
                return next
            }
            if ends.piece == piece.count - 8, ends.part == part.count - 8 { return nil }
        }
        return nil
    }

    /// Returns the hash of the eight bytes at a position, which the caller has checked.
    ///
    /// - Parameter shift: the number of bits to drop: 64 less those of the hash.
    private static func hash(_ bytes: UnsafeRawBufferPointer, _ place: Int, _ shift: UInt64) -> Int {
        Int((bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) &* 0x9E37_79B9_7F4A_7C15) >> shift)
    }

    /// Returns the number of equal bytes from two positions on.
    private static func equalLength(
        _ one: UnsafeRawBufferPointer, _ place: Int, _ other: UnsafeRawBufferPointer, _ otherPlace: Int
    ) -> Int {
        UnsafeRawBufferPointer(rebasing: one[place...])
            .commonPrefix(with: UnsafeRawBufferPointer(rebasing: other[otherPlace...]))
    }
}
