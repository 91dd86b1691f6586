// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The repair of a file that is a copy of a damaged archive: trees first, then index and tables, then blocks.
struct Repair {
    let file: WholeArchiveFile
    let copies: [OtherCopy]
    let threads: Int
    private let meter: ProgressCounter
    private(set) var summary = ArchiveHealer.Summary()
    private var trust = ArchiveTrust([])
    private var reader: ArchiveReader?

    /// Creates a repair.
    ///
    /// - Parameter length: the length of the file, in bytes.
    init(
        file: WholeArchiveFile, copies: [OtherCopy], threads: Int, length: UInt64,
        progress: (@Sendable (WorkProgress) -> Void)?
    ) {
        (self.file, self.copies, self.threads) = (file, copies, threads)
        meter = ProgressCounter(total: length, progress: progress)
    }

    // MARK: - Expected contents

    /// Opens the file, with the header and the ends of another copy if more was signed than the file shows.
    mutating func open(_ name: FilePath, _ trust: ArchiveTrust?) throws(ArchiveError) {
        let own = result { () throws(ArchiveError) in try Self.open(FileByteSource(path: file.partial), trust) }
        let reader = try? own.get().0
        let covered = reader.map { SignedParts($0).coveredLength } ?? 0
        let isCut = reader?.isLastCommitDamaged ?? true
        var guides: [(parts: SignedParts, copy: OtherCopy, trust: ArchiveTrust)] = []
        for copy in copies {
            let opened = result { () throws(ArchiveError) in try Self.open(copy.source, trust) }
            guard case .success(let (guide, found)) = opened else { continue }
            guides.append((SignedParts(guide), copy, found))
        }
        guides.sort { $0.parts.coveredLength > $1.parts.coveredLength }
        for guide in guides where guide.parts.coveredLength > covered {
            guard try isCopy(guide.copy, guide.parts, beyond: covered, isCut: isCut) else { continue }
            try adopt(guide.parts, guide.copy)
            self.trust = guide.trust
            self.reader = try ArchiveReader(source: FileByteSource(path: file.partial), trust: guide.trust)
            return
        }
        switch own {
        case .success(let (reader, trust)): (self.reader, self.trust) = (reader, trust)
        case .failure(let error):
            throw ArchiveError(
                error.code,
                "\(error.message), and no other file has the missing information; give a copy whose beginning and end are intact",
                path: name.string, offset: error.offset)
        }
    }

    private func result<Value>(_ work: () throws(ArchiveError) -> Value) -> Result<Value, ArchiveError> {
        do throws(ArchiveError) { return .success(try work()) } catch { return .failure(error) }
    }

    /// Opens an archive with keys: the given ones, or those that its statements name.
    private static func open(
        _ source: any ByteSource, _ trust: ArchiveTrust?
    ) throws(ArchiveError) -> (ArchiveReader, ArchiveTrust) {
        if let trust { return (try ArchiveReader(source: source, trust: trust), trust) }
        let keys = try ArchiveReader(source: source).signingKeys()
        let own = ArchiveTrust(keys)
        return (try ArchiveReader(source: source, trust: own), own)
    }

    /// Takes header, statements, trees, tables and ends from a copy.
    private mutating func adopt(_ guide: SignedParts, _ copy: OtherCopy) throws(ArchiveError) {
        let own = try FileByteSource(path: file.partial)
        for range in guide.openedRanges {
            let theirs = try Self.bytes(of: copy.source, range)
            if range.upperBound <= own.length, try Self.bytes(of: own, range) == theirs { continue }
            try file.write(theirs, at: range.lowerBound)
            note(healed: range)
        }
        for part in guide.groups {
            if part.range.upperBound <= own.length, try SignedParts.isRight(Self.bytes(of: own, part.range), for: part)
            {
                continue
            }
            let theirs = try Self.bytes(of: copy.source, part.range)
            guard try SignedParts.isRight(theirs, for: part) else { continue }
            try file.write(theirs, at: part.range.lowerBound)
            note(healed: part.range)
        }
        // Holes that come of this are damage, which is looked for next.
        guard guide.coveredLength > own.length else { return }
        do {
            try file.descriptor.resize(to: Int64(guide.coveredLength))
        } catch {
            throw ArchiveError(.io, "cannot write", path: own.name, cause: error)
        }
    }

    private static let sampleCount = 64

    /// Returns whether the file is a damaged copy of an archive, and not one with an equal beginning: the two have bytes in common beyond
    /// those that the file itself proves.
    ///
    /// Commits of other archives, and unsigned ones, can hold the same blocks, but never the same index and hashes. Where the end of the file
    /// is lost, blocks must decide.
    private func isCopy(
        _ copy: OtherCopy, _ guide: SignedParts, beyond covered: UInt64, isCut: Bool
    ) throws(ArchiveError) -> Bool {
        let own = try FileByteSource(path: file.partial)
        var places = guide.groups.map(\.range) + (try guide.structure().map(\.range))
        if isCut { places += ((try? guide.blocks()) ?? []).map(\.range) }
        let shared = min(own.length, copy.source.length)
        places.removeAll { $0.upperBound > shared }
        let later = places.filter { $0.lowerBound >= covered }
        // A file that is cut where a commit begins shows no bytes of it.
        if later.isEmpty, isCut { return try places.isEmpty ? false : areAlike(own, copy.source, places) }
        return try areAlike(own, copy.source, later)
    }

    private func areAlike(
        _ own: any ByteSource, _ other: any ByteSource, _ places: [Range<UInt64>]
    ) throws(ArchiveError) -> Bool {
        let step = max(1, places.count / Self.sampleCount)
        for number in stride(from: 0, to: places.count, by: step) {
            if try Self.bytes(of: own, places[number]) == Self.bytes(of: other, places[number]) { return true }
        }
        return false
    }

    private static func bytes(of source: any ByteSource, _ range: Range<UInt64>) throws(ArchiveError) -> [UInt8] {
        try source.bytes(at: range.lowerBound, count: range.count)
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
        let healed = try ArchiveReader(source: FileByteSource(path: file.partial), trust: trust)
        reader = healed
        parts = SignedParts(healed)
        do throws(ArchiveError) {
            try heal(parts.blocks())
        } catch {
            // Blocks cannot be distinguished without the index.
            guard error.code != .io else { throw error }
            summary.lostParts += 1
        }
        meter.finish()
    }

    private mutating func heal(_ parts: [SignedParts.Part]) throws(ArchiveError) {
        let source = try FileByteSource(path: file.partial)
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
            probes.append((start, try Self.bytes(of: source, start..<start + UInt64(OtherCopy.probeLength))))
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

    private mutating func note(healed range: Range<UInt64>) {
        summary.healedParts += 1
        summary.healedLength += UInt64(range.count)
    }
}
