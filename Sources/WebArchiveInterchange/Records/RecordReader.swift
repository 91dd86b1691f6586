// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A reader of the records of a file, one after another.
final class RecordReader {
    private let input: BufferedInput
    private let syntax: any RecordSyntax
    /// The damage that was passed over, in the order of the file.
    private(set) var damage: [ArchiveError] = []
    /// Whether bytes between records were left out, so that the file cannot be written again.
    private(set) var hasUnkeptBytes = false
    /// Whether the first record was read.
    private var hasBegun = false
    /// The number of bytes of the present block that were not read yet.
    private var blockLeft: UInt64 = 0

    /// The maximum number of bytes between two records that are kept.
    private static let maximumEndLength = 256
    /// The maximum number of faults that are kept.
    private static let maximumDamageCount = 1_000

    /// The name of the file, for errors.
    var name: String { input.name }
    /// The number of bytes of the file that were read.
    var readLength: UInt64 { input.readLength }

    init(_ input: BufferedInput, _ syntax: any RecordSyntax) { (self.input, self.syntax) = (input, syntax) }

    /// Sets a function that is called with the number of bytes that were decoded each time.
    func setCharge(_ charge: @escaping (Int) throws(ArchiveError) -> Void) { input.charge = charge }

    /// Reads the head of the next record; nil at the end.
    ///
    /// Damage is noted, and the next readable record follows.
    ///
    /// - Throws: `io`.
    func next() throws(ArchiveError) -> RecordHead? {
        while true {
            do throws(ArchiveError) {
                if blockLeft > 0 { _ = try readBlock { _ in } }
                return try readHead()
            } catch {
                guard try passOver(error) else { return nil }
            }
        }
    }

    private func readHead() throws(ArchiveError) -> RecordHead? {
        let ends = try readEnd()
        if !ends.isEmpty, !hasBegun { hasUnkeptBytes = true }
        hasBegun = true
        let offset = input.fileOffset
        let window = try input.peek(BufferedInput.maximumPeek)
        guard !window.isEmpty else { return nil }
        guard syntax.isStart(window) else {
            if let failure = input.failure, window.count < syntax.maximumStartLength {
                input.consume(window.count)
                throw failure
            }
            // Each fault consumes bytes, so that the same place is not found again.
            input.consume(1)
            throw ArchiveError(.damaged, "no record begins here", path: input.name, offset: offset)
        }
        guard let (found, length) = syntax.head(window, offset: offset) else {
            // Not byte by byte: each mark of a record in it would cost as much again. Before a failure of the input as well: it is passed over only
            // behind all bytes that come before it.
            input.consume(window.count)
            if let failure = input.failure, window.count < BufferedInput.maximumPeek { throw failure }
            throw ArchiveError(.damaged, "the head of a record has no end", path: input.name, offset: offset)
        }
        // All of it, for the same reason.
        input.consume(length)
        guard let head = found else {
            throw ArchiveError(.damaged, "a record without a Content-Length", path: input.name, offset: offset)
        }
        blockLeft = head.blockLength
        return head
    }

    /// Reads the line ends after a block: two of them, but some writers leave out one, or write others, or zeros.
    ///
    /// - Returns: the first of these bytes: they are kept in memory.
    /// - Throws: `io`, `damaged`, `truncated`.
    private func readEnd() throws(ArchiveError) -> [UInt8] {
        var end: [UInt8] = []
        while true {
            let window = try input.peek(BufferedInput.maximumPeek)
            let rest = window.firstIndex { $0 != 0x0D && $0 != 0x0A && $0 != 0 } ?? window.endIndex
            let count = rest - window.startIndex
            let kept = min(count, Self.maximumEndLength - end.count)
            end += window.prefix(kept)
            if kept < count { hasUnkeptBytes = true }
            input.consume(count)
            if count == 0 || rest < window.endIndex { return end }
        }
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
            guard Self.isDamage(error) else { throw error }
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
        guard try begin(behind: error) else { return false }
        while true {
            do throws(ArchiveError) {
                let window = try input.peek(BufferedInput.maximumPeek)
                guard !window.isEmpty else { return false }
                if let place = syntax.firstStart(window) {
                    input.consume(place - window.startIndex)
                    return true
                }
                // The line may begin in this window and end in the next one.
                input.consume(input.isLastWindow ? window.count : max(1, window.count - syntax.maximumStartLength))
            } catch {
                guard try begin(behind: error) else { return false }
            }
        }
    }

    /// Notes a fault, and continues at the place where bytes can be read again.
    ///
    /// - Returns: whether there is one.
    /// - Throws: the error itself, if it is neither `damaged` nor `truncated`.
    private func begin(behind error: ArchiveError) throws(ArchiveError) -> Bool {
        guard Self.isDamage(error) else { throw error }
        note(error)
        guard error.code == .damaged else { return false }
        return try input.skipDamage()
    }

    private static func isDamage(_ error: ArchiveError) -> Bool { [.damaged, .truncated].contains(error.code) }
}
