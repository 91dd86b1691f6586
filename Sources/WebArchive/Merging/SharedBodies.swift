// SPDX-License-Identifier: Apache-2.0

/// The bodies of an archive that were already copied from an earlier one, by digest and bytes. Specification section 5, "Equal digests".
struct SharedBodies {
    /// The bodies in the new archive, by the rows of equal ones.
    private(set) var references: [Int: CommitBuilder.BodyReference] = [:]

    init(_ archive: StoredArchive, in earlier: [MergedArchive]) throws(ArchiveError) {
        guard !earlier.isEmpty else { return }
        let dictionaries = try archive.dictionaryBodies()
        var comparisons = earlier.map { _ in BodyComparison(archive) }
        // In the order in which they are stored, so that a block that several share is read and decoded once.
        var places: [(place: UInt64, number: Int)] = []
        for number in 0..<archive.bodyCount where !dictionaries.contains(number) {
            places.append((try archive.archiveBody(number).storagePlace, number))
        }
        places.sort { ($0.place, $0.number) < ($1.place, $1.number) }
        for (_, number) in places {
            let body = try archive.archiveBody(number)
            search: for (place, other) in earlier.enumerated() {
                for candidate in try other.stored.reader.bodies(body.digest, length: body.length) {
                    guard let reference = other.copy.bodies.known(candidate),
                        try comparisons[place].areEqual(body, candidate)
                    else { continue }
                    references[number] = reference
                    break search
                }
            }
        }
    }
}

/// An archive that was already merged into the new one.
struct MergedArchive {
    let stored: StoredArchive
    let copy: CopiedArchive
}
