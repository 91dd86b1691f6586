// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive
import WebArchiveFormat

/// The repair of a file that is a copy of a damaged archive: trees first, then index and tables, then blocks.
struct Repair {
    /// The copy under repair, which is locked and beside its name.
    let file: WholeArchiveFile
    /// The other files, in the order in which they are searched.
    let copies: [OtherCopy]
    /// The number of threads that search for damage.
    let threads: Int
    /// Whether the healed file replaces the archive.
    let isInPlace: Bool
    /// The counter of bytes that were compared with their hashes.
    private let meter: ProgressCounter
    private(set) var summary = ArchiveHealer.Summary()
    /// The keys that prove the contents; none before ``open(_:_:)``.
    private var trust = ArchiveTrust([])
    /// The archive as its signature proves it; nil before ``open(_:_:)``.
    private var reader: ArchiveReader?
    /// The bytes after the last commit that readers find; nil before ``open(_:_:)``.
    private var tail: FileTail?

    /// Creates a repair.
    ///
    /// - Parameter length: the length of the file, in bytes.
    init(
        file: WholeArchiveFile, copies: [OtherCopy], threads: Int, isInPlace: Bool, length: UInt64,
        progress: (@Sendable (WorkProgress) -> Void)?
    ) {
        (self.file, self.copies, self.threads, self.isInPlace) = (file, copies, threads, isInPlace)
        meter = ProgressCounter(total: length, progress: progress)
    }

    // MARK: - Expected contents

    /// Opens the file, with the header and the ends of another copy if more was signed than the file shows.
    mutating func open(_ name: FilePath, _ trust: ArchiveTrust?) throws(ArchiveError) {
        let file = try source()
        let own = result { () throws(ArchiveError) in try SignedArchive(file, trust) }
        let opened = try? ArchiveReader(source: file)
        let covered = (try? own.get()).map { SignedParts($0.reader).coveredLength } ?? 0
        let last = opened.flatMap { StoredArchive($0).layouts.last?.footer }
        tail = try FileTail(of: file, after: opened?.isLastCommitDamaged == false ? last?.end ?? 0 : 0)
        let later = tail?.newestProvedEnd(in: file, trust) ?? 0
        if let opened, !opened.isLastCommitDamaged, later <= covered {
            // A statement that is damaged leaves an earlier one.
            let signed = StoredArchive(opened).layouts.last(where: \.isSigned)?.footer.end ?? 0
            switch own {
            // The rest may be a later edition whose end is damaged, which a copy can show.
            case .success(let own) where covered >= signed && opened.tornTail == 0: return take(own)
            case .success: break
            case .failure(let error): try refuse(opened, error)
            }
        }
        if let guide = try guide(trust, beyond: max(covered, later)) {
            try adopt(guide)
            take(try SignedArchive(source(), guide.archive.trust))
            summary.editionSource = FilePath(guide.source.name)
            return
        }
        if later > covered {
            let archive = try SignedArchive(BeginningOfSource(file, length: later), trust)
            take(archive)
            guard let footer = StoredArchive(archive.reader).layouts.last?.footer else { return }
            return try cutOff(after: footer)
        }
        switch own {
        case .success(let own): take(own)
        case .failure(let error):
            throw ArchiveError(
                error.code,
                "\(error.message), and none of the other files is a copy of this edition whose beginning and end are whole; give one with them",
                path: name.string, offset: error.offset)
        }
    }

    /// Finds the copy that proves the most, and that the file is a damaged copy of.
    ///
    /// - Parameter length: the length of the commits that the file proves by itself, in bytes.
    private func guide(_ trust: ArchiveTrust?, beyond length: UInt64) throws(ArchiveError) -> Guide? {
        let file = try source()
        var best: Guide?
        for copy in copies {
            var proved = length
            if let last = tail?.lastCommit, let guide = try? Guide(copy.source, upTo: last, trust) {
                if guide.parts.coveredLength > length, try EditionEvidence(of: file, beyond: length, last).isCopy(guide)
                {
                    best = longer(guide, best)
                }
                // The copy ends there as well.
                guard guide.isBeginning else { continue }
                proved = max(proved, guide.parts.coveredLength)
            }
            // The slots themselves can be damaged: later bytes of the file that are those of the copy show a later commit.
            guard let whole = try? Guide(copy.source, upTo: nil, trust), whole.parts.coveredLength > proved else {
                continue
            }
            if try EditionEvidence(of: file, beyond: proved, nil).isCopy(whole) { best = longer(whole, best) }
        }
        return best
    }

    /// Returns the copy that proves more bytes; the one that was found before if both prove as many.
    private func longer(_ guide: Guide, _ other: Guide?) -> Guide {
        guard let other, other.parts.coveredLength >= guide.parts.coveredLength else { return guide }
        return other
    }

    /// Refuses an archive that opens by itself, and whose statement is not the reason why it cannot be proved.
    ///
    /// - Parameter error: the error of opening it with keys.
    private func refuse(_ archive: ArchiveReader, _ error: ArchiveError) throws(ArchiveError) {
        guard StoredArchive(archive).layouts.contains(where: \.isSigned) else {
            throw ArchiveError(
                .untrusted, "the archive is not signed, so heal cannot tell what is damaged; use par2",
                path: error.path)
        }
        let isProvedByOthers = (try? SignedArchive(source(), nil)) != nil
        if isProvedByOthers { throw error }
    }

    /// Takes an archive as the contents to restore.
    private mutating func take(_ archive: SignedArchive) {
        (reader, trust) = (archive.reader, archive.trust)
        (summary.series, summary.sequence) = (
            archive.reader.statement?.series ?? "", archive.reader.statement?.sequence ?? 0
        )
    }

    /// Opens the bytes of the file under repair, with all parts that were written so far.
    private func source() throws(ArchiveError) -> FileByteSource { try file.contents() }

    /// Calls a function, and returns its error instead of throwing it.
    private func result<Value>(_ work: () throws(ArchiveError) -> Value) -> Result<Value, ArchiveError> {
        do throws(ArchiveError) { return .success(try work()) } catch { return .failure(error) }
    }

    /// Takes header, statements, trees, tables and ends from a copy, and its length.
    private mutating func adopt(_ guide: Guide) throws(ArchiveError) {
        let own = try source()
        for range in guide.openedRanges {
            let theirs = try guide.source.bytes(in: range)
            if range.upperBound <= own.length, try own.bytes(in: range) == theirs { continue }
            try file.write(theirs, at: range.lowerBound)
            note(healed: range)
        }
        for part in guide.parts.groups {
            if part.range.upperBound <= own.length, try SignedParts.isRight(own.bytes(in: part.range), for: part) {
                continue
            }
            let theirs = try guide.source.bytes(in: part.range)
            guard try SignedParts.isRight(theirs, for: part) else { continue }
            try file.write(theirs, at: part.range.lowerBound)
            note(healed: part.range)
        }
        let length = guide.parts.coveredLength
        // Holes that come of a longer file are damage, which is looked for next.
        if own.length < length {
            try resize(to: length)
        } else if guide.isWhole, let footer = guide.layouts.last?.footer {
            summary.sequence = guide.archive.reader.statement?.sequence ?? 0
            try cutOff(after: footer)
        }
    }

    /// Removes the bytes after the last commit.
    ///
    /// - Throws: `damaged` if they may be a later edition, and if the healed file replaces the archive.
    private mutating func cutOff(after footer: CommitFooter) throws(ArchiveError) {
        let own = try source()
        guard own.length > footer.end else { return }
        let count = own.length - footer.end
        var isLast = count < FormatLimits.footerLength || tail?.shows(asLast: footer) == true
        if !isLast { isLast = try FileTail.isPadding(of: own, from: footer.end) }
        guard isLast || !isInPlace else {
            throw ArchiveError(
                .damaged,
                "the \(count) bytes after edition \(summary.sequence) may be a later edition, since no recovery slot shows the last one; heal into another file to leave them out",
                path: file.partial.string, offset: footer.end)
        }
        try resize(to: footer.end)
        summary.removedLength += count
    }

    /// Sets the length of the file under repair, in bytes. Added bytes are zeros. Throws `io`.
    private func resize(to length: UInt64) throws(ArchiveError) {
        do {
            try file.descriptor.resize(to: Int64(length))
        } catch {
            throw ArchiveError(.io, "cannot write", path: file.partial.string, cause: error)
        }
    }

    // MARK: - Parts

    /// Checks all parts, and replaces the damaged ones.
    mutating func run() throws(ArchiveError) {
        guard let opened = reader else { return }
        var parts = SignedParts(opened)
        summary.coveredLength = parts.coveredLength
        try heal(parts.groups)
        try heal(parts.structure())
        // Again, with the present tables and index.
        let healed = try ArchiveReader(source: source(), trust: trust)
        reader = healed
        parts = SignedParts(healed)
        do throws(ArchiveError) {
            try heal(parts.blocks())
        } catch {
            // Blocks cannot be distinguished without the index.
            guard error.code != .io else { throw error }
            summary.lostParts += 1
        }
        try cutOff()
        meter.finish()
    }

    /// Cuts off the bytes after the last commit, if the signature proves that the commit ends there.
    private mutating func cutOff() throws(ArchiveError) {
        let opened = try ArchiveReader(source: source())
        if opened.isLastCommitDamaged {
            summary.lostParts += 1
            summary.lostLength += opened.tornTail
        } else if let footer = StoredArchive(opened).layouts.last?.footer, footer.end == summary.coveredLength {
            try cutOff(after: footer)
        }
    }

    /// Finds the damaged parts, and replaces those that one of the files has; the others are counted as lost.
    ///
    /// The files are searched for shifted bytes only if a part is missing otherwise.
    private mutating func heal(_ parts: [SignedParts.Part]) throws(ArchiveError) {
        let source = try source()
        let damaged = try SignedParts.damaged(among: parts, in: source, threads: threads, progress: meter.add)
        var missing: [Int] = []
        for number in damaged where try !heal(parts[number]) { missing.append(number) }
        guard !missing.isEmpty else { return }
        // Searching a file costs more than looking into it at one place.
        let probes = try probes(parts, except: Set(damaged), in: source)
        for copy in copies { copy.align(probes) }
        for number in missing where try !heal(parts[number]) {
            summary.lostParts += 1
            summary.lostLength += UInt64(parts[number].range.count)
        }
    }

    /// Returns beginnings of intact parts, by which other files are searched.
    private func probes(
        _ parts: [SignedParts.Part], except damaged: Set<Int>, in source: FileByteSource
    ) throws(ArchiveError) -> [(offset: UInt64, bytes: [UInt8])] {
        var probes: [(offset: UInt64, bytes: [UInt8])] = []
        for number in stride(from: 0, to: parts.count, by: max(1, parts.count / 256)) {
            let range = parts[number].range
            guard !damaged.contains(number), range.count >= OtherCopy.probeLength else { continue }
            let start = range.lowerBound
            probes.append((start, try source.bytes(in: start..<start + UInt64(OtherCopy.probeLength))))
        }
        return probes
    }

    /// Heals a part.
    ///
    /// - Returns: whether another file had the part.
    private mutating func heal(_ part: SignedParts.Part) throws(ArchiveError) -> Bool {
        for copy in copies {
            let found = try copy.bytes(for: part) { bytes throws(ArchiveError) in
                try SignedParts.isRight(bytes, for: part)
            }
            guard let found else { continue }
            try file.write(found, at: part.range.lowerBound)
            note(healed: part.range)
            return true
        }
        return false
    }

    /// Counts a part that was written.
    private mutating func note(healed range: Range<UInt64>) {
        summary.healedParts += 1
        summary.healedLength += UInt64(range.count)
    }
}

extension ByteSource {
    /// Reads the bytes of a range that the caller has checked against a limit.
    func bytes(in range: Range<UInt64>) throws(ArchiveError) -> [UInt8] {
        try bytes(at: range.lowerBound, count: range.count)
    }
}
