// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The properties of a response for a list: read in a few steps, without its header fields.
package struct AnswerOutline: Sendable {
    /// The status code, at most 999; one below 100 is accepted here.
    package let status: Int
    /// Whether the response is stored as a redirect.
    package let isRedirect: Bool
    /// The media type; nil if it is unknown.
    ///
    /// At most ``maximumTextLength`` bytes of it, so that a false one costs little.
    package let mediaType: String?

    /// The maximum number of bytes that are read of a text.
    package static let maximumTextLength = 255
}

extension ArchiveEntry {
    /// The outline of the response; nil if there is no response. Throws `damaged` or `io`.
    package var outline: AnswerOutline? {
        get throws(ArchiveError) {
            guard let (keys, row) = try answerRow else { return nil }
            let index = archive.index
            try index.budget?.take(AnswerOutline.maximumTextLength)
            let mediaType = try index.string(keys.mediaType, row).map {
                String(untrusted: $0.prefix(AnswerOutline.maximumTextLength))
            }
            return AnswerOutline(
                status: try index.commit(row).count(keys.status, Int(row.row), atMost: 999),
                isRedirect: keys.status.owner == .redirect, mediaType: mediaType)
        }
    }
}

extension ArchiveEntry {
    /// The method of the request for a list, at most ``AnswerOutline/maximumTextLength`` bytes of it.
    package var outlinedMethod: String {
        get throws(ArchiveError) {
            let index = archive.index
            guard let request = try index.row(.entryRequest, place),
                let method = try index.string(.requestMethod, request)
            else { return "GET" }
            try index.budget?.take(AnswerOutline.maximumTextLength)
            return String(untrusted: method.prefix(AnswerOutline.maximumTextLength))
        }
    }
}

extension ArchiveBody {
    /// The number of the body in its archive, counted through all commits.
    package var number: Int { store.index.commit(place).firstRow(.body) + Int(place.row) }

    /// The length of the body in the file, in bytes: its blocks, and of a block that it shares with other bodies its
    /// part by length, rounded down.
    package var storedLength: UInt64 {
        get throws(ArchiveError) {
            guard let start else { return 0 }
            let first = try store.describe(start.block)
            if UInt64(start.offset) + length <= UInt64(first.length) {
                return first.stored.length * length / UInt64(first.length)
            }
            // Blocks are stored one after the other.
            let count = (length + UInt64(blockLength) - 1) / UInt64(blockLength)
            let last = try store.describe(store.block(count - 1, of: self, from: start)).stored
            return last.end > first.stored.offset ? last.end - first.stored.offset : 0
        }
    }

    /// The cost of reading the beginning of a body.
    package struct BeginningCost: Sendable {
        /// The number of bytes that are decoded at each read: blocks of its own.
        package fileprivate(set) var length = 0
        /// The parts that are decoded as well, and stay in memory for a while: the block that the body shares with others, and dictionaries.
        /// Each has a number that is unique in the archive, and a length in bytes.
        package fileprivate(set) var kept: [(number: UInt64, length: Int)] = []
    }

    /// Returns the cost of reading the first bytes of the body, computed without decoding.
    ///
    /// - Parameter count: the number of bytes, at most the length of the body.
    /// - Throws: `damaged` or `io`.
    package func costOfBeginning(_ count: UInt64) throws(ArchiveError) -> BeginningCost {
        var cost = BeginningCost()
        guard let start, count > 0 else { return cost }
        let first = try store.describe(start.block)
        let isShared = UInt64(start.offset) + length <= UInt64(first.length) && length < UInt64(first.length)
        let size = UInt64(blockLength)
        for number in 0...(isShared ? 0 : (count - 1) / size) {
            let block = try number == 0 ? first : store.part(number, of: self, from: start)
            if isShared { cost.kept.append((block.place.number, block.length)) } else { cost.length += block.length }
            guard let dictionary = block.dictionary else { continue }
            let (place, description) = try store.dictionaryBlock(dictionary)
            cost.kept.append((place.number, description.length))
        }
        return cost
    }
}

extension RowPlace {
    /// A number that is unique among rows of its kind.
    fileprivate var number: UInt64 { UInt64(commit) << 32 | UInt64(row) }
}
