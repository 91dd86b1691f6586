// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive
import WebArchiveFormat

/// The limits on the work of a patch: some hundred bytes can describe terabytes, and decode the same blocks for each.
///
/// Patch specification section 6. Threads may share them.
final class PatchLimits: Sendable {
    private let old: StoredArchive
    /// The number of bytes that its reader decoded before.
    private let decodedBefore: UInt64
    /// The length of the old archive's decoded blocks.
    private let oldContentLength: UInt64
    /// The maximum length of the new archive, and of its decoded blocks.
    let maximumLength: UInt64
    /// The length of the decoded blocks of the new commits so far, in bytes.
    private let contentLength = Atomic<UInt64>(0)
    /// The bytes read from the old archive so far, other than decoded blocks.
    private let copied = Atomic<UInt64>(0)
    /// The maximum number of steps of compressing for a reader.
    private let stepLimit: UInt64
    /// The steps of compressing so far.
    private let steps = Atomic<UInt64>(0)
    /// The bytes of edits that a reader allows.
    private let editLimit: UInt64
    /// The bytes of edits so far.
    private let edits = Atomic<UInt64>(0)

    /// The number of bytes that a patch may produce, and may read, regardless of the lengths of archives: 256 MiB.
    private static let base: UInt64 = 256 << 20
    /// The number of steps that a patch may take, regardless of the lengths of archives.
    private static let stepBase: UInt64 = 1 << 32
    /// The number of steps for each byte of the old archive and of the patch.
    private static let stepFactor: UInt64 = 1 << 12
    /// The bytes of edits that a reader allows, besides one for each byte of the old archive and of the patch.
    private static let editBase: UInt64 = 64 << 20
    /// The number of bytes read for each byte of both archives' decoded blocks.
    private static let readingFactor: UInt64 = 8
    /// The maximum number of decoded bytes that count for each byte of the old archive, which may be hostile as well.
    private static let decodedFactor: UInt64 = 32

    /// Adds up the blocks of the old archive. It costs a reading of their rows.
    ///
    /// - Parameters:
    ///   - patchLength: the length of the patch, in bytes.
    ///   - maximumLength: the caller's own limit; nil for that of the specification.
    init(_ old: StoredArchive, patchLength: UInt64, maximumLength: UInt64? = nil) {
        self.old = old
        decodedBefore = old.decodedLength
        var length: UInt64 = 0
        for row in 0..<old.blockCount {
            // A row that cannot be read has no decoded bytes.
            length = length.addingSaturated(UInt64((try? old.block(row).length) ?? 0))
        }
        let lengths = old.committedLength.addingSaturated(patchLength)
        stepLimit = Self.stepBase.addingSaturated(lengths.multipliedSaturated(by: Self.stepFactor))
        editLimit = Self.editBase.addingSaturated(lengths)
        oldContentLength = min(length, old.committedLength.multipliedSaturated(by: Self.decodedFactor))
        self.maximumLength =
            maximumLength
            ?? Self.base.addingSaturated(2 * (old.committedLength + oldContentLength))
            .addingSaturated(patchLength.multipliedSaturated(by: 100))
    }

    /// Checks the length of the new archive.
    ///
    /// - Throws: `limitExceeded`.
    func check(newLength: UInt64) throws(ArchiveError) {
        guard newLength <= maximumLength else { throw tooLong("new archive") }
    }

    /// Adds the decoded blocks of a commit of the new archive.
    ///
    /// - Throws: `limitExceeded`.
    func add(_ contents: CommitContents) throws(ArchiveError) {
        let length = contents.blockLengths.reduce(UInt64(0)) { $0.addingSaturated(UInt64($1)) }
        // Each of 1,024 commits has fewer than 2^48 bytes.
        guard contentLength.add(length, ordering: .relaxed).newValue <= maximumLength else {
            throw tooLong("total length of the bodies")
        }
    }

    /// Adds copied bytes of the old archive, besides the blocks that are decoded for them.
    ///
    /// - Throws: `limitExceeded`.
    func take(_ count: Int) throws(ArchiveError) {
        note(count)
        guard reading <= readingLimit else {
            throw ArchiveError(
                .limitExceeded,
                "the patch decodes more than \(readingLimit) bytes of the old archive")
        }
    }

    /// Adds the steps of a block before it is compressed.
    ///
    /// - Throws: `limitExceeded`.
    func take(steps count: UInt64) throws(ArchiveError) {
        guard Self.add(count, to: steps, atMost: stepLimit) else {
            throw ArchiveError(
                .limitExceeded,
                "the compression of the blocks takes more than \(stepLimit) steps"
            )
        }
    }

    /// Adds steps as ``take(steps:)`` does, for a writer of patches; returns false, and adds none, beyond half of a reader's limit.
    func note(steps count: UInt64) -> Bool { Self.add(count, to: steps, atMost: stepLimit / 2) }

    /// Adds the bytes of the edits of a chunk: a few of them take as long as copying a hundred bytes.
    ///
    /// - Throws: `limitExceeded`.
    func take(edits count: Int) throws(ArchiveError) {
        guard Self.add(UInt64(count), to: edits, atMost: editLimit) else {
            throw ArchiveError(
                .limitExceeded, "the edits of the patch exceed \(editLimit) bytes")
        }
    }

    /// Adds edits as ``take(edits:)`` does, for a writer of patches; returns false, and adds none, for more than half of a reader's limit.
    func note(edits count: Int) -> Bool { Self.add(UInt64(count), to: edits, atMost: editLimit / 2) }

    /// - Parameter count: the steps of a block, or the bytes of edits, fewer than 2^35.
    private static func add(_ count: UInt64, to total: borrowing Atomic<UInt64>, atMost limit: UInt64) -> Bool {
        guard total.add(count, ordering: .relaxed).newValue > limit else { return true }
        total.subtract(count, ordering: .relaxed)
        return false
    }

    /// Adds bytes as ``take(_:)`` does, for a writer of patches, which stops before the limit.
    func note(_ count: Int) { copied.add(UInt64(count), ordering: .relaxed) }

    /// Whether a writer of patches must stop coding against the old archive: half of a reader's limit is used.
    var areNearlyReached: Bool { reading > readingLimit / 2 }

    /// The number of bytes that count as read so far: decoded blocks, each time that the reader decodes them, and copied bytes.
    private var reading: UInt64 {
        copied.load(ordering: .relaxed).addingSaturated(old.decodedLength - decodedBefore)
    }

    /// The maximum of ``reading``, in bytes. It grows with the commits that were added.
    private var readingLimit: UInt64 {
        let contents = oldContentLength.addingSaturated(contentLength.load(ordering: .relaxed))
        return Self.base.addingSaturated(contents.multipliedSaturated(by: Self.readingFactor))
    }

    /// Returns the error of a length beyond ``maximumLength``.
    ///
    /// - Parameter subject: a noun phrase without an article.
    private func tooLong(_ subject: String) -> ArchiveError {
        ArchiveError(
            .limitExceeded, "the \(subject) exceeds \(maximumLength) bytes, the limit for this patch",
            recovery: .raiseLimit)
    }
}
