// SPDX-License-Identifier: Apache-2.0

import Crypto
import Editions
import FuzzSupport
import Mutation
import SystemPackage

@testable import WebArchive
@testable import WebArchiveFormat
@testable import WebArchiveUpdates

/// The rules that hold for every patch.
struct PatchRules {
    let patch: [UInt8]

    /// The longest archive that a patch may promise here: a stream of zeros makes any length of a few bytes, on the disk alone.
    static let longestArchive: UInt64 = 4 << 20

    func check() {
        let base = KnownPatches.all.base(of: patch)
        guard patch.number(at: 56, width: 8) <= Self.longestArchive else { return }
        let file = ScratchFolder.write("stranger.webarcpatch", patch)
        let before = ScratchFolder.names
        within(5, "applying") { apply(file, to: base, trust: nil) }
        guard let result = ScratchFolder.read("new.webarc") else {
            return expect(
                ScratchFolder.names == before, "a failing patch leaves \(ScratchFolder.names.subtracting(before))")
        }
        ScratchFolder.remove("new.webarc")
        expect(UInt64(result.count) == patch.number(at: 56, width: 8), "an archive of \(result.count) bytes")
        expect(SHA256.hash(data: result).elementsEqual(patch[64..<96]), "another archive than was promised")
        within(5, "applying with keys") { apply(file, to: base, trust: Editions.trust) }
        guard let proved = ScratchFolder.read("new.webarc") else { return }
        ScratchFolder.remove("new.webarc")
        expect(proved == result, "another archive with keys than without")
        do {
            let archive = try ArchiveReader(bytes: proved, trust: Editions.trust)
            expect(Editions.signed[archive.statement?.root ?? []] != nil, "an archive that nobody signed")
        } catch {
            expect(false, "an archive that was proved cannot be opened: \(error)")
        }
    }

    private func apply(_ file: FilePath, to base: KnownPatches.Base, trust: ArchiveTrust?) {
        do throws(ArchiveError) {
            try ArchivePatcher(from: base.path, patch: file, trust: trust)
                .run(into: ScratchFolder.path.appending("new.webarc"))
        } catch {
            expect(
                ![.io, .invalidArgument, .alreadyExists, .locked, .notFound].contains(error.code),
                "not an error of the patch: \(error)")
        }
    }
}
