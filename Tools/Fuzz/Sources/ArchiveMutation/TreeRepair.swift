// SPDX-License-Identifier: Apache-2.0

package import Mutation

@testable import WebArchive
@testable import WebArchiveFormat

/// A signer of whatever it is given.
package typealias AnySigner = (_ message: [UInt8]) -> (key: [UInt8], signature: [UInt8])?

/// Makes the trees of an archive right again, and what its statements say of them: all that a stranger can. Specification section 13.
///
/// - Parameter sign: gives signatures that take the places of the first ones; nil to leave those that are there.
package func withRightTrees(_ archive: [UInt8], sign: AnySigner?) -> [UInt8] {
    guard var parts = ArchiveParts(archive) else { return archive }
    for number in parts.commits.indices { parts.repairTree(ofCommit: number, sign: sign) }
    return parts.assembled()
}

/// Puts a section, or a commit, of another archive into an archive.
package func withPart(of other: [UInt8], in archive: [UInt8], _ random: inout MutationRandom) -> [UInt8] {
    guard var parts = ArchiveParts(archive), let others = ArchiveParts(other) else { return archive }
    let commit = random.next(of: others.commits)
    let place = random.next(parts.commits.count)
    guard random.next(4) > 0, let section = commit.sections.isEmpty ? nil : random.next(of: commit.sections) else {
        parts.commits.insert(commit, at: random.next(parts.commits.count + 1))
        return parts.assembled()
    }
    if let same = parts.commits[place].sections.firstIndex(where: { $0.head == section.head }) {
        parts.commits[place].sections[same] = section
    } else {
        parts.commits[place].sections.append(section)
    }
    return parts.assembled()
}

/// The sections `SIGN` of an archive.
package func statements(of archive: [UInt8]) -> [[UInt8]] {
    ArchiveParts(archive)?.commits.flatMap { $0.sections.filter { $0.isOf("SIGN") }.map(\.bytes) } ?? []
}

/// An archive in which a statement is another.
package func withMutatedStatement(
    _ archive: [UInt8], _ mutate: ([UInt8]) -> [UInt8], _ random: inout MutationRandom
) -> [UInt8] {
    guard var parts = ArchiveParts(archive) else { return archive }
    let place = random.next(parts.commits.count)
    guard let section = parts.commits[place].sections.firstIndex(where: { $0.isOf("SIGN") }) else { return archive }
    parts.commits[place].sections[section].bytes = mutate(parts.commits[place].sections[section].bytes)
    return parts.assembled()
}

extension ArchiveParts {
    fileprivate mutating func repairTree(ofCommit number: Int, sign: AnySigner?) {
        guard let tree = commits[number].sections.firstIndex(where: { $0.isOf("MRKL") }),
            let statement = commits[number].sections.firstIndex(where: { $0.isOf("SIGN") }),
            // The length of the tree changes the places of what follows, and so the hashes in it.
            let first = try? Self.tree(ofCommit: number, in: assembled())
        else { return }
        commits[number].sections[tree].bytes = first.stored
        guard let second = try? Self.tree(ofCommit: number, in: assembled()) else { return }
        commits[number].sections[tree].bytes = second.stored
        var bytes = commits[number].sections[statement].bytes
        guard bytes.count >= 152 else { return }
        bytes.replaceSubrange(16..<48, with: second.root)
        bytes.setNumber(second.leafCount, at: 48, width: 8)
        bytes.setNumber(second.end, at: 56, width: 8)
        bytes.setNumber(UInt64(number), at: 80, width: 4)
        if bytes.count >= 248, let (key, signature) = sign?(Array(bytes[..<152])) {
            bytes.replaceSubrange(152..<248, with: key + signature)
        }
        commits[number].sections[statement].bytes = bytes
    }

    private static func tree(
        ofCommit number: Int, in archive: [UInt8]
    ) throws(ArchiveError) -> (stored: [UInt8], root: [UInt8], leafCount: UInt64, end: UInt64) {
        let reader = try ArchiveReader(bytes: archive)
        let (commits, source) = (reader.index.commits, reader.index.source)
        guard commits.indices.contains(number) else { throw .damaged("no such commit") }
        var (first, before) = (number, SignedStatement?.none)
        while first > 0, before == nil {
            before = try SignedStatement(of: commits[first - 1].sections, commits[first - 1].footer, in: source)
            if before == nil { first -= 1 }
        }
        let leaves = try CommitTree.leaves(of: commits[first...number], holdingTree: number).leaves
        let head = TreeHash.head(try source.bytes(at: 0, count: 32), after: before)
        let hashes = try Array(head) + LeafHasher(threads: 1).hashes(leaves, in: source)
        let levels = TreeHash.levels(hashes)
        return (levels.stored, levels.root, UInt64(hashes.count / 32), commits[number].footer.end)
    }
}
