// SPDX-License-Identifier: Apache-2.0

package import Mutation

/// Changes an archive and repairs its checksums, so that the change is met by the code behind them.
///
/// Mostly one part is changed, as libFuzzer's mutations see fit, and the archive put together again around it. At times the
/// whole is changed with its sums repaired, or as it is.
package func mutatedArchive(_ input: [UInt8], _ limit: Int, _ random: inout MutationRandom) -> [UInt8] {
    switch random.next(16) {
    case 0: return mutated(input, limit)
    case 1...4: return ChecksumRepair.repaired(mutated(input, limit))
    default:
        guard var parts = ArchiveParts(input) else { return mutated(input, limit) }
        let changes = 1 + random.next(3)
        for _ in 0..<changes { parts.mutate(&random) }
        let output = parts.assembled()
        return output.count > limit ? ChecksumRepair.repaired(mutated(input, limit)) : output
    }
}

extension ArchiveParts {
    mutating func mutate(_ random: inout MutationRandom) {
        let number = random.next(commits.count)
        switch random.next(24) {
        case 0: header = mutatedInPlace(header)
        case 1: tail = mutated(tail, tail.count + 100)
        case 2 where commits.count < 4:
            let copy = commits[number]
            commits.append(copy)
            countEarlierRows()
        case 3 where commits.count > 1:
            commits.remove(at: number)
            countEarlierRows()
        default: commits[number].mutate(&random)
        }
    }

    /// Passes each commit the number of rows of the ones before it.
    private mutating func countEarlierRows() {
        var earlier: [[UInt8]: UInt64] = [:]
        for number in commits.indices {
            guard let section = commits[number].sections.firstIndex(where: { $0.isOf("CLSS") }) else { continue }
            let places = ClassTablePlaces(commits[number].sections[section].bytes)
            for owner in places.classes {
                commits[number].sections[section].bytes.setNumber(
                    earlier[owner.name] ?? 0, at: owner.place + 6, width: 4)
                earlier[owner.name, default: 0] += places.table.number(at: owner.place + 2, width: 4)
            }
        }
    }
}

extension ArchiveParts.Commit {
    fileprivate mutating func mutate(_ random: inout MutationRandom) {
        guard !sections.isEmpty else { return }
        let number = random.next(sections.count)
        switch random.next(20) {
        case 16...19: shareOrRepeat(&random)
        case 0: sections[number].head = mutatedInPlace(sections[number].head)
        case 1: sections.remove(at: number)
        case 2: sections.insert(sections[random.next(sections.count)], at: number)
        case 3...5: sections[number].bytes = mutated(sections[number].bytes, sections[number].bytes.count + 256)
        case 6...8:
            guard let table = sections.firstIndex(where: { $0.isOf("CLSS") }) else { return }
            sections[table].bytes = Self.changedField(sections[table].bytes, &random)
        case 9...13:
            guard let index = sections.firstIndex(where: { $0.isOf("INDX") }) else { return }
            sections[index].bytes = mutatedInPlace(sections[index].bytes)
        default: sections[number].bytes = mutatedInPlace(sections[number].bytes)
        }
    }

    /// A class table in which one number of a class or a key is another.
    fileprivate static func changedField(_ table: [UInt8], _ random: inout MutationRandom) -> [UInt8] {
        let places = ClassTablePlaces(table)
        guard !places.classes.isEmpty else { return table }
        let owner = places.classes[random.next(places.classes.count)]
        var fields = [0..<2, 2..<6, 6..<10, 10..<18, 18..<26, 26..<34].map { (owner.place, $0) }
        for key in owner.keys { fields += [1..<2, 2..<4, 4..<12, 12..<20].map { (key.place, $0) } }
        let (place, field) = fields[random.next(fields.count)]
        var table = table
        let range = place + field.lowerBound..<place + field.upperBound
        table.replaceSubrange(range, with: mutatedInPlace(Array(table[range])))
        return table
    }
}

/// A class table in which one number of a class or a key is another, or rows share or repeat.
package func mutatedClassTable(_ table: [UInt8], _ random: inout MutationRandom) -> [UInt8] {
    ArchiveParts.Commit.changedField(table, &random)
}
