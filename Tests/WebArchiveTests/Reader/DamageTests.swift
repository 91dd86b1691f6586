// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import WebArchive

/// Whatever happens to a file: what is read is what was written, or an error that says where.
@Suite struct DamageTests {
    /// Three commits, some hundred entries, and more than a megabyte.
    private struct Sample: Sendable {
        let bytes: [UInt8]
        /// The content of the first one, two and three commits.
        let commits: [Commits]
        /// The ranges of headers, tables and footers, of the blocks, and of the index with its checksums.
        let frames: [Range<Int>], blocks: [Range<Int>], indexes: [Range<Int>]

        init(_ random: inout SeededGenerator) throws {
            let folder = try TemporaryFolder()
            var generator = ExchangeGenerator(SeededGenerator(seed: random.next()), blockLength: 1 << 14)
            var all: [[Exchange]] = []
            for number in 0..<3 {
                var exchanges = generator.commits(1, of: 90).commits[0]
                for body in 0..<26 {
                    let length = Int.random(in: 1...30_000, using: &random)
                    let bytes = random.chance(3) ? random.text(length) : random.bytes(length)
                    exchanges.append(Exchange("http://big.example/\(number)/\(body)", body: bytes))
                }
                try folder.archive(exchanges, blockExponent: 14, appending: number > 0)
                all.append(exchanges)
            }
            bytes = try folder.read("a.webarc")
            commits = (1...3).map { Commits(Array(all[..<$0])) }
            var (frames, blocks, indexes) = ([0..<96], [Range<Int>](), [Range<Int>]())
            for commit in try ArchiveReader(bytes: bytes).index.commits {
                func range(_ kind: SectionTable.Kind) -> Range<Int> {
                    guard let extent = commit.sections[kind]?.extent else { return 0..<0 }
                    return Int(extent.offset)..<Int(extent.end)
                }
                blocks.append(range(.blocks))
                indexes += [range(.index), range(.indexSums)]
                frames.append(range(.classes).lowerBound..<Int(commit.footer.end))
            }
            (self.frames, self.blocks, self.indexes) = (frames, blocks, indexes)
        }
    }

    /// The results of the changes of one file.
    private struct Tally {
        var (wholeFiles, refused, errors) = (0, 0, 0)
        var problems: [String] = []
    }

    // MARK: - Changes

    /// Changes a byte, a run of bytes, or swaps two runs; gives the places whose bytes are others now.
    private static func change(
        _ bytes: inout [UInt8], in areas: [Range<Int>], _ random: inout SeededGenerator
    ) -> [Range<Int>] {
        guard let area = areas.filter({ !$0.isEmpty }).randomElement(using: &random) else { return [] }
        let place = Int.random(in: area, using: &random)
        let count = min([1, 1, 2, 16, 300, 5000].randomElement(using: &random) ?? 1, area.upperBound - place)
        let range = place..<place + count
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes.replaceSubrange(range, with: random.bytes(count))
        case 3:
            bytes.replaceSubrange(
                range, with: repeatElement([0, 0xFF][Int.random(in: 0...1, using: &random)], count: count))
        default:
            // Bytes of another place in the file, which takes those of this one.
            let other = Int.random(in: 0...bytes.count - count, using: &random)
            let (mine, theirs) = (Array(bytes[range]), Array(bytes[other..<other + count]))
            bytes.replaceSubrange(range, with: theirs)
            bytes.replaceSubrange(other..<other + count, with: mine)
            return [range, other..<other + count]
        }
        return [range]
    }

    // MARK: - Reading

    /// Reads all of a changed file and notes what is wrong.
    private static func read(_ bytes: [UInt8], _ sample: Sample, _ changes: [Range<Int>], _ tally: inout Tally) {
        func problem(_ text: String) { tally.problems.append("\(text); changed: \(changes)") }
        let reader: ArchiveReader
        do throws(ArchiveError) {
            reader = try ArchiveReader(bytes: bytes)
        } catch {
            tally.refused += 1
            if error.offset == nil { problem("opening: no place: \(error)") }
            return
        }
        let added = UInt64(max(0, bytes.count - sample.bytes.count))
        guard (1...3).contains(reader.commitCount), (reader.commitCount == 3) == (reader.tornTail == added) else {
            return problem("\(reader.commitCount) commits, \(reader.tornTail) bytes behind them")
        }
        let truth = sample.commits[reader.commitCount - 1]
        var errors: [ArchiveError] = []
        for (number, rows) in truth.rowsOfCommits.enumerated() {
            guard reader.index.commits[number].entryCount == rows.count else { return problem("number of entries") }
            for (row, exchange) in rows.enumerated() {
                let place = RowPlace(commit: UInt32(number), row: UInt32(row))
                let outcome = exchange.outcome(of: ArchiveEntry(place, of: reader))
                for difference in outcome.differences { problem("other than written: \(difference)") }
                errors += outcome.errors
            }
        }
        for exchange in truth.commits.joined().prefix(6) {
            let (method, digest) = (exchange.request.method, exchange.requestDigest)
            do throws(ArchiveError) {
                let found = try reader.captures(
                    of: CanonicalURL(parsing: exchange.key), method: method, bodyDigest: digest)
                let expected = truth.captures(exchange.key, method, digest)
                if found.count != expected.count { problem("\(found.count) answers for \(exchange.key)") }
            } catch {
                errors.append(error)
            }
        }
        for error in errors { checkPlace(of: error, reader, changes, problem) }
        tally.errors += errors.count
        if errors.isEmpty { tally.wholeFiles += 1 }
    }

    /// An error names the block or the page of the index that was changed, or whose checksum was.
    private static func checkPlace(
        of error: ArchiveError, _ reader: ArchiveReader, _ changes: [Range<Int>], _ problem: (String) -> Void
    ) {
        guard error.code == .damaged, let offset = error.offset.map({ Int($0) }) else {
            return problem("no damage, or no place: \(error)")
        }
        for commit in reader.index.commits {
            if let index = commit.sections[.index]?.extent, let sums = commit.sections[.indexSums]?.extent,
                Int(index.offset)..<Int(index.end) ~= offset
            {
                let page = (offset - Int(index.offset)) / 4096
                let sum = Int(sums.offset) + 4 * page
                let parts = [offset..<offset + 4096, sum..<sum + 4]
                if changes.contains(where: { change in parts.contains { $0.overlaps(change) } }) { return }
            }
            if Int(commit.blocks.offset)..<Int(commit.blocks.end) ~= offset {
                if changes.contains(where: { $0.overlaps(offset..<offset + (1 << 14)) }) { return }
            }
        }
        problem("the wrong place: \(error)")
    }

    /// Does the same on both cores, each with random numbers of its own.
    private static func run(
        _ count: Int, _ random: inout SeededGenerator, _ work: @Sendable (inout SeededGenerator, inout Tally) -> Void
    ) -> Tally {
        let seeds = (0..<count).map { _ in random.next() }
        let sum = Mutex(Tally())
        DispatchQueue.concurrentPerform(iterations: count) { number in
            var random = SeededGenerator(seed: seeds[number])
            var tally = Tally()
            work(&random, &tally)
            sum.withLock {
                $0.wholeFiles += tally.wholeFiles
                $0.refused += tally.refused
                $0.errors += tally.errors
                $0.problems += tally.problems
            }
        }
        return sum.withLock { $0 }
    }

    // MARK: - Tests

    @Test func theSampleIsWhole() throws {
        var random = SeededGenerator.printed()
        let sample = try Sample(&random)
        #expect(sample.bytes.count > 1 << 20)
        var tally = Tally()
        Self.read(sample.bytes, sample, [], &tally)
        #expect(tally.wholeFiles == 1 && tally.problems.isEmpty, "\(tally.problems)")
    }

    /// Changes of blocks and indexes, eight to a file: each concerns what it touches, and nothing else.
    @Test func blocksAndIndexes() throws {
        var random = SeededGenerator.printed()
        let sample = try Sample(&random)
        let tally = Self.run(150 * testEffort, &random) { random, tally in
            var bytes = sample.bytes
            var changes: [Range<Int>] = []
            for _ in 0..<8 {
                changes += Self.change(&bytes, in: random.chance(4) ? sample.indexes : sample.blocks, &random)
            }
            Self.read(bytes, sample, changes, &tally)
        }
        #expect(tally.problems == [], "seed \(random.seed)")
        #expect(tally.errors > 300)
    }

    /// Changes of what leads to the rest: header, class tables, section tables, footers.
    @Test func frames() throws {
        var random = SeededGenerator.printed()
        let sample = try Sample(&random)
        let tally = Self.run(500 * testEffort, &random) { random, tally in
            var bytes = sample.bytes
            let changes = Self.change(&bytes, in: sample.frames, &random)
            Self.read(bytes, sample, changes, &tally)
        }
        #expect(tally.problems == [], "seed \(random.seed)")
        #expect(tally.refused > 150 && tally.wholeFiles > 3)
    }

    /// Files that end early, and files to which something was added.
    @Test func otherLengths() throws {
        var random = SeededGenerator.printed()
        let sample = try Sample(&random)
        let tally = Self.run(20 * testEffort, &random) { random, tally in
            let near = sample.frames.randomElement(using: &random).map { Int.random(in: $0, using: &random) } ?? 0
            let length = random.chance(2) ? near : Int.random(in: 0..<sample.bytes.count, using: &random)
            Self.read(Array(sample.bytes[..<length]), sample, [length..<sample.bytes.count], &tally)
            let tail = random.bytes(Int.random(in: 1...200, using: &random))
            Self.read(sample.bytes + tail, sample, [sample.bytes.count..<sample.bytes.count + tail.count], &tally)
        }
        #expect(tally.problems == [], "seed \(random.seed)")
        #expect(tally.refused > 3 && tally.wholeFiles > 10)
    }

    /// Changes after which every checksum is right: nothing can be known of the values, but reading ends, with values or errors.
    @Test func changesOfAHostileWriter() throws {
        var random = SeededGenerator.printed()
        let folder = try TemporaryFolder()
        var generator = ExchangeGenerator(SeededGenerator(seed: random.next()), blockLength: 4096)
        let exchanges = generator.commits(1, of: 40).commits[0]
        try folder.archive(exchanges)
        let whole = RowSurgeon(try folder.read("a.webarc"))
        let areas = [whole.section("INDX"), whole.section("CLSS")]
        let tally = Self.run(500 * testEffort, &random) { random, tally in
            var surgeon = whole
            for _ in 0...Int.random(in: 0...2, using: &random) {
                guard let area = areas.randomElement(using: &random) else { return }
                let byte =
                    [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random)
                    ?? 0
                surgeon.replace(Int.random(in: area, using: &random), with: byte)
            }
            do throws(ArchiveError) {
                let reader = try ArchiveReader(bytes: surgeon.bytes)
                try reader.forEachEntry { entry throws(ArchiveError) in
                    tally.errors += exchanges[0].outcome(of: entry).errors.count
                    return true
                }
                for exchange in exchanges { _ = try reader.entry(for: exchange.key) }
                for row in 0..<reader.bodyCount {
                    guard let place = reader.index.place(.body, row: row) else { continue }
                    _ = try reader.body(place).bytes()
                    _ = try reader.body(place).rawExtent()
                }
                _ = try reader.metadata()
                tally.wholeFiles += 1
            } catch {
                tally.refused += 1
                if error.offset == nil, error.code != .limitExceeded { tally.problems.append("no place: \(error)") }
            }
        }
        #expect(tally.problems == [], "seed \(random.seed)")
        #expect(tally.wholeFiles > 30 && tally.refused > 30)
    }
}
