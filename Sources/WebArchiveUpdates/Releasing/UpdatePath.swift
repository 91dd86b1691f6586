// SPDX-License-Identifier: Apache-2.0

/// A path from one edition to the newest: consecutive patches, or the whole archive.
struct UpdatePath: Equatable {
    /// The patches in the order in which they are applied; none for the whole archive.
    let patches: [UpdateManifest.Patch]
    /// The number of bytes to load.
    let length: UInt64

    /// Finds the path with the fewest bytes.
    ///
    /// - Parameters:
    ///   - identity: the identity of the archive that exists; nil for none.
    ///   - loaded: a function that returns the bytes of a file that exist already.
    init(
        from identity: String?, in manifest: UpdateManifest, loaded: (UpdateManifest.File) -> UInt64
    ) {
        func cost(_ file: UpdateManifest.File) -> UInt64 { file.length - min(file.length, loaded(file)) }
        let whole = manifest.newest.map { cost($0.file) } ?? 0
        guard let identity, let goal = manifest.newest?.identity else {
            (patches, length) = ([], whole)
            return
        }
        // Dijkstra's search; a list has at most 1,000 patches.
        var best: [String: (length: UInt64, way: [UpdateManifest.Patch])] = [identity: (0, [])]
        var done: Set<String> = []
        while let (here, found) = best.filter({ !done.contains($0.key) }).min(by: {
            ($0.value.length, $0.key) < ($1.value.length, $1.key)
        }),
            here != goal
        {
            done.insert(here)
            for patch in manifest.patches where patch.from == here && found.way.count < 100 {
                let length = found.length + cost(patch.file)
                if length < best[patch.to]?.length ?? .max { best[patch.to] = (length, found.way + [patch]) }
            }
        }
        if let found = best[goal], !found.way.isEmpty, found.length < whole {
            (patches, length) = (found.way, found.length)
        } else {
            (patches, length) = ([], whole)
        }
    }
}
