// SPDX-License-Identifier: Apache-2.0

import Editions
import FuzzSupport
import SystemPackage

@testable import WebArchive
@testable import WebArchiveUpdates

/// The way from one archive to another by a patch, for an archive of a stranger and an edition.
struct RoundTrip {
    private let bytes: [UInt8]
    /// The bytes up to the end of the last commit, which a patch gives.
    private let committed: [UInt8]
    private let edition: [UInt8]

    /// Nil for bytes that are no archive.
    init?(stranger bytes: [UInt8]) {
        guard let archive = try? ArchiveReader(bytes: bytes) else { return nil }
        self.bytes = bytes
        committed = Array(bytes[..<Int(StoredArchive(archive).committedLength)])
        edition = Editions.archives[bytes.count % Editions.archives.count]
    }

    func check() {
        let stranger = ScratchFolder.write("stranger.webarc", bytes)
        let edition = ScratchFolder.write("edition.webarc", edition)
        for isPortable in [false, true] {
            check(from: edition, to: stranger, gives: committed, isPortable)
            check(from: stranger, to: edition, gives: self.edition, isPortable)
        }
    }

    private func check(from old: FilePath, to new: FilePath, gives expected: [UInt8], _ isPortable: Bool) {
        let patch = ScratchFolder.path.appending("new.webarcpatch")
        do throws(ArchiveError) {
            var differ = ArchiveDiffer(from: old, to: new)
            (differ.options.isPortable, differ.options.level) = (isPortable, 3)
            try within(5, "diff") { () throws(ArchiveError) in try differ.run(into: patch) }
        } catch {
            return expect(
                ![.io, .invalidArgument, .alreadyExists, .locked].contains(error.code),
                "not an error of an archive: \(error)")
        }
        do throws(ArchiveError) {
            try within(5, "patch") { () throws(ArchiveError) in
                try ArchivePatcher(from: old, patch: patch).run(into: ScratchFolder.path.appending("new.webarc"))
            }
        } catch {
            return expect(false, "a patch that was made does not apply: \(error)")
        }
        expect(ScratchFolder.read("new.webarc") == expected, "a patch gives another archive")
        ScratchFolder.remove("new.webarc")
    }
}
