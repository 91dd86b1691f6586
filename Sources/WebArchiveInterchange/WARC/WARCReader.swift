// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The head of a record of a WARC file. ISO 28500 section 4.
struct WARCHead {
    /// The version, such as `WARC/1.0`.
    let version: String
    /// The named fields.
    let fields: HeaderFields
    /// The bytes of the head as they were; empty if they are the serialised head.
    let odd: [UInt8]
    /// The length of the block, in bytes.
    let blockLength: UInt64
    /// The offset in the file at which the record begins, or in a compressed file one shortly after it.
    let offset: UInt64

    /// The type, in lower case: `response`, say; empty without one.
    var type: String { fields["WARC-Type"]?.asciiLowercased ?? "" }
    /// The URL, without the angle brackets that some writers put around it.
    var target: String? {
        guard let text = fields["WARC-Target-URI"] else { return nil }
        return text.hasPrefix("<") && text.hasSuffix(">") ? String(text.dropFirst().dropLast()) : text
    }
}

/// A reader of the records of a WARC file, one after another.
final class WARCReader {
    private let input: BufferedInput
    /// The damage that was passed over, in the order of the file.
    private(set) var damage: [ArchiveError] = []
    /// Whether bytes between records were left out, so that the file cannot be written again.
    private(set) var hasUnkeptBytes = false
    /// Whether the first record was read.
    private var hasBegun = false
    /// The number of bytes of the present block that were not read yet.
    private var blockLeft: UInt64 = 0

    /// The maximum length of a record's head, in bytes.
    private static let maximumHeadLength = 1 << 17
    /// The maximum number of faults that are kept.
    private static let maximumDamageCount = 1_000

    init(_ input: BufferedInput) { self.input = input }

    /// Reads the head of the next record; nil at the end.
    ///
    /// Damage is noted, and the next readable record follows.
    ///
    /// - Throws: `io`.
    func next() throws(ArchiveError) -> WARCHead? {
        while true {
            do throws(ArchiveError) {
                if blockLeft > 0 { _ = try readBlock { _ in } }
                return try readHead()
            } catch {
                guard try passOver(error) else { return nil }
            }
        }
    }

    private func readHead() throws(ArchiveError) -> WARCHead? {
        let ends = try readEnd()
        if !ends.isEmpty, !hasBegun { hasUnkeptBytes = true }
        hasBegun = true
        let offset = input.fileOffset
        let window = try input.peek(Self.maximumHeadLength)
        guard !window.isEmpty else { return nil }
        guard window.starts(with: "WARC/".utf8) else {
            throw ArchiveError(.damaged, "no record begins here", path: input.name, offset: offset)
        }
        guard let head = MessageHead(window) else {
            if let failure = input.failure { throw failure }
            // Not byte by byte: each mark of a record in it would cost as much again.
            input.consume(window.count)
            throw ArchiveError(.damaged, "the head of a record has no end", path: input.name, offset: offset)
        }
        guard let length = Self.length(head.fields) else {
            throw ArchiveError(.damaged, "a record without a Content-Length", path: input.name, offset: offset)
        }
        let bytes = window.prefix(head.length)
        let version = String(decoding: head.startLine, as: UTF8.self)
        let isOdd = !bytes.elementsEqual(MessageHead.serialised(Array(version.utf8), head.fields))
        input.consume(head.length)
        blockLeft = length
        return WARCHead(
            version: version, fields: head.fields,
            odd: isOdd ? Array(bytes) : [], blockLength: length, offset: offset)
    }

    private static func length(_ fields: HeaderFields) -> UInt64? {
        guard let text = fields.only(named: "Content-Length")?.value,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return UInt64(text)
    }

    /// Reads the line ends after a block: two of them, but some writers leave out one, or write others, or zeros.
    ///
    /// - Returns: the bytes, at most 1 MiB of them.
    /// - Throws: `io`, `damaged`, `truncated`.
    private func readEnd() throws(ArchiveError) -> [UInt8] {
        var end: [UInt8] = []
        while let byte = try input.peek(1).first, byte == 0x0D || byte == 0x0A || byte == 0 {
            if end.count < 1 << 20 { end.append(byte) } else { hasUnkeptBytes = true }
            input.consume(1)
        }
        return end
    }

    /// Reads the rest of the present block.
    ///
    /// - Returns: whether all of it was there.
    /// - Throws: `io`, `damaged` and `truncated`, which the caller passes to ``passOver(_:)``; errors of `work`.
    func readBlock(_ work: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void) throws(ArchiveError) -> Bool {
        let wanted = blockLeft
        // Also after an error: the rest cannot be found then.
        blockLeft = 0
        return try input.take(wanted, work) == wanted
    }

    /// Returns the line ends after the block that was read; of damaged ones those before.
    func end() throws(ArchiveError) -> [UInt8] {
        do throws(ArchiveError) {
            return try readEnd()
        } catch {
            // The next record meets it again.
            guard [.damaged, .truncated].contains(error.code) else { throw error }
            return []
        }
    }

    /// Notes damage, unless it is the fault that was noted last.
    private func note(_ error: ArchiveError) {
        // In a compressed file two faults can have one offset.
        let isKnown = damage.last?.message == error.message && damage.last?.offset == error.offset
        guard damage.count < Self.maximumDamageCount, !isKnown else { return }
        damage.append(error.at(path: input.name))
    }

    /// Continues behind damage, at the next place where a record begins.
    ///
    /// - Returns: whether there is one.
    /// - Throws: the error itself, if it is neither `damaged` nor `truncated`.
    func passOver(_ error: ArchiveError) throws(ArchiveError) -> Bool {
        guard [.damaged, .truncated].contains(error.code) else { throw error }
        note(error)
        guard error.code == .damaged, try input.skipDamage() else { return false }
        let mark = Array("WARC/".utf8)
        while true {
            do throws(ArchiveError) {
                let window = try input.peek(BufferedInput.maximumPeek)
                guard !window.isEmpty else { return false }
                if window.starts(with: mark) { return true }
                if let place = window.firstRange(of: [0x0A] + mark) {
                    input.consume(place.lowerBound + 1 - window.startIndex)
                    return true
                }
                // The line may begin in this window and end in the next one.
                input.consume(input.isLastWindow ? window.count : window.count - mark.count)
            } catch {
                guard [.damaged, .truncated].contains(error.code) else { throw error }
                note(error)
                guard error.code == .damaged, try input.skipDamage() else { return false }
            }
        }
    }
}
