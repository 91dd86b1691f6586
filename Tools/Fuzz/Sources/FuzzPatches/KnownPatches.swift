// SPDX-License-Identifier: Apache-2.0

import Editions
import FuzzSupport
import Mutation
import SystemPackage

@testable import WebArchive
@testable import WebArchiveFormat
@testable import WebArchiveUpdates

/// Patches between the editions, with which fuzzing starts, and the archives that they are for.
struct KnownPatches {
    /// An archive that patches are for.
    struct Base {
        let path: FilePath
        let length: UInt64
        let identity: [UInt8]
        let bodies: OldBodies
    }

    let bases: [Base]
    /// Patches from each edition to the next and from the last but one to the first, all of them also portable.
    let patches: [[UInt8]]
    /// The same, taken apart.
    let parts: [PatchParts]

    static let all: KnownPatches = {
        do { return try KnownPatches() } catch { fatalError("no patches: \(error)") }
    }()

    private init() throws {
        bases = try Editions.archives.enumerated().map { number, bytes in
            let archive = StoredArchive(try ArchiveReader(bytes: bytes))
            return Base(
                path: ScratchFolder.write("old-\(number).webarc", bytes), length: archive.committedLength,
                identity: try PatchHeader.identity(of: archive),
                bodies: try OldBodies(archive, PatchLimits(archive, patchLength: 0, maximumLength: .max)))
        }
        var patches: [[UInt8]] = []
        for (from, to) in [(0, 1), (1, 2), (2, 3), (3, 4), (3, 0), (4, 4)] {
            for isPortable in [false, true] {
                var differ = ArchiveDiffer(
                    from: bases[from].path, to: bases[to].path, options: ArchiveDiffer.Options())
                differ.options.isPortable = isPortable
                try differ.run(into: ScratchFolder.path.appending("seed.webarcpatch"))
                patches.append(ScratchFolder.read("seed.webarcpatch") ?? [])
                ScratchFolder.remove("seed.webarcpatch")
            }
        }
        self.patches = patches
        var parts: [PatchParts] = []
        for patch in patches {
            guard let base = Self.base(of: patch, in: bases), let taken = PatchParts(patch, for: base.bodies) else {
                fatalError("a patch that cannot be taken apart")
            }
            parts.append(taken)
        }
        self.parts = parts
    }

    /// The archive that a patch names; the first one if it names none.
    func base(of patch: [UInt8]) -> Base { Self.base(of: patch, in: bases) ?? bases[0] }

    private static func base(of patch: [UInt8], in bases: [Base]) -> Base? {
        guard patch.count >= 56 else { return nil }
        return bases.first { $0.identity.elementsEqual(patch[24..<56]) }
    }
}
