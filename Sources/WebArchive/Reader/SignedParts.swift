// SPDX-License-Identifier: Apache-2.0

import Crypto
import WebArchiveFormat

/// The individually provable parts of an archive that was opened with keys, which a healer searches and replaces.
///
/// Header, class tables and the ends of commits were proved when the archive was opened. Specification section 13.
package struct SignedParts: Sendable {
    /// A part of the file.
    package struct Part: Sendable {
        /// The range in the file.
        package let range: Range<UInt64>
        /// The CRC of the stored bytes of a block, by which it may be found in a different archive; nil for other parts.
        package let checksum: UInt32?
        fileprivate let proof: Proof
    }

    fileprivate enum Proof: Sendable {
        case leaf(CommitProof, Leaf, Int)
        case group(HashTree, Int, UInt64)
    }

    private let archive: ArchiveReader

    /// Creates a view of the parts.
    package init(_ archive: ArchiveReader) { self.archive = archive }

    private var commits: [CommitIndex] { archive.index.commits }

    /// The end of the signed commit, in bytes from the start of the file.
    package var coveredLength: UInt64 { commits.last?.footer.end ?? 0 }

    /// The ranges that were proved when the archive was opened, and those of the statements.
    package var openedRanges: [Range<UInt64>] {
        var ranges: [Range<UInt64>] = [0..<UInt64(FormatLimits.headerLength)]
        for commit in commits {
            for kind in [SectionTable.Kind.classes, .signature] {
                if let extent = commit.sections[kind]?.extent { ranges.append(extent.offset..<extent.end) }
            }
            ranges.append(commit.footer.sectionTableOffset..<commit.footer.end)
        }
        return ranges
    }

    /// The groups of the trees' hashes, those nearest to the roots first: without them no lower part can be proved.
    package var groups: [Part] {
        var (trees, parts) = ([HashTree](), [Part]())
        for case let tree? in commits.map({ $0.proof?.tree }) where !trees.contains(where: { $0 === tree }) {
            trees.append(tree)
            for (level, number, range) in tree.groups {
                parts.append(Part(range: range, checksum: nil, proof: .group(tree, level, number)))
            }
        }
        return parts
    }

    /// Returns the parts other than blocks: index, sums and tables.
    package func structure() throws(ArchiveError) -> [Part] {
        try parts { commit throws(ArchiveError) in
            let runs = commit.proof?.layout.runs.filter { !$0.isBlocks } ?? []
            return (runs, [])
        }
    }

    /// Returns the stored blocks. The index must be whole.
    package func blocks() throws(ArchiveError) -> [Part] {
        try parts { commit throws(ArchiveError) in
            let runs = commit.proof?.layout.runs.filter(\.isBlocks) ?? []
            return (runs, try commit.blockOffsets())
        }
    }

    private func parts(
        _ select: (CommitIndex) throws(ArchiveError) -> (runs: [LeafLayout.Run], blocks: [UInt64])
    ) throws(ArchiveError) -> [Part] {
        var parts: [Part] = []
        for commit in commits {
            guard let proof = commit.proof else { continue }
            let (runs, blocks) = try select(commit)
            for run in runs {
                for (number, leaf) in try run.leaves(blocks: blocks).enumerated() {
                    let place = Int(run.first - proof.layout.firstLeaf) + number
                    let limit = Int(UInt32.max)
                    let checksum =
                        run.isBlocks ? UInt32(try commit.count(.blockChecksum, number, atMost: limit)) : nil
                    parts.append(
                        Part(
                            range: leaf.extent.offset..<leaf.extent.end, checksum: checksum,
                            proof: .leaf(proof, leaf, place)))
                }
            }
        }
        return parts
    }

    /// Finds the parts that differ from the signed bytes, or cannot be read.
    ///
    /// - Parameters:
    ///   - parts: all groups, or none of them: those nearer to a root come first.
    ///   - source: the file that is looked at.
    ///   - progress: a function that is called now and then with the bytes done since, from any thread.
    /// - Returns: the numbers of the damaged parts, in ascending order.
    package static func damaged(
        among parts: [Part], in source: any ByteSource, threads: Int, progress: @Sendable (Int) -> Void
    ) throws(ArchiveError) -> [Int] {
        var (damaged, leaves, numbers) = ([Int](), [Leaf](), [Int]())
        for (number, part) in parts.enumerated() {
            guard part.range.upperBound <= source.length else {
                damaged.append(number)
                continue
            }
            switch part.proof {
            case .leaf(_, let leaf, _):
                leaves.append(leaf)
                numbers.append(number)
            case .group:
                let bytes = try source.bytes(at: part.range.lowerBound, count: part.range.count)
                if try !isRight(bytes, for: part) { damaged.append(number) }
                progress(part.range.count)
            }
        }
        var failure: ArchiveError?
        LeafHasher(threads: threads).run(leaves, in: source, progress: progress) { place, hash in
            let number = numbers[place]
            guard failure == nil, case .leaf(let proof, let leaf, let position) = parts[number].proof else { return }
            do throws(ArchiveError) {
                guard case .success(let hash) = hash, try isLeaf(hash, proof, leaf, position) else {
                    return damaged.append(number)
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return damaged.sorted()
    }

    /// Returns whether all of the archive that is read matches the signed bytes. It costs a reading of it.
    package func verify(threads: Int) throws(ArchiveError) -> Bool {
        try Self.damaged(
            among: structure() + blocks(), in: archive.index.source, threads: threads, progress: { _ in }
        ).isEmpty
    }

    /// Returns whether bytes are the signed ones. The level above a group, which must be right, decides for it.
    package static func isRight(_ bytes: [UInt8], for part: Part) throws(ArchiveError) -> Bool {
        guard bytes.count == part.range.count else { return false }
        switch part.proof {
        case .leaf(let proof, let leaf, let number):
            let hash = TreeHash.leaf(leaf.kind, at: leaf.extent.offset, bytes)
            return try isLeaf(hash, proof, leaf, number)
        case .group(let tree, let level, let number):
            return try tree.isGroup(bytes, level: level, number: number)
        }
    }

    private static func isLeaf(
        _ hash: SHA256Digest, _ proof: CommitProof, _ leaf: Leaf, _ number: Int
    ) throws(ArchiveError) -> Bool {
        do throws(ArchiveError) {
            try proof.check(leaf, number, hash: hash)
            return true
        } catch {
            guard error.code == .untrusted else { throw error }
            return false
        }
    }
}
