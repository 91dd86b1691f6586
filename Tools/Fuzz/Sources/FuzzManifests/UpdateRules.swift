// SPDX-License-Identifier: Apache-2.0

import Editions
import FuzzSupport
import Glibc
import SystemPackage

@testable import WebArchive
@testable import WebArchiveUpdates

/// The rules for an updater that is given a list: it asks for the files of the list and no others, and installs an edition that its keys signed or none.
struct UpdateRules {
    let file: [UInt8]

    private static let name = "notes.webarc"

    func check() {
        let before = ScratchFolder.names
        let old = Editions.archives[0]
        let archive = ScratchFolder.write(Self.name, old)
        do throws(ArchiveError) {
            try within(5, "updating") { () throws(ArchiveError) in try self.update(archive) }
        } catch {
            expect(![.io, .locked, .alreadyExists].contains(error.code), "not an error of the list: \(error)")
        }
        guard let new = ScratchFolder.read(Self.name) else { return expect(false, "the archive is gone") }
        expect(new == old || Editions.archives.contains(new), "an archive that nobody signed")
        let folder = "\(Self.name).update"
        let left = ScratchFolder.names.subtracting(before)
        expect(left.isSubset(of: [Self.name, "\(Self.name).previous", folder]), "files that are left: \(left)")
        for name in ScratchFolder.names(in: folder) { ScratchFolder.remove("\(folder)/\(name)") }
        rmdir(ScratchFolder.path.appending(folder).string)
        ScratchFolder.remove(Self.name)
        ScratchFolder.remove("\(Self.name).previous")
    }

    private func update(_ archive: FilePath) throws(ArchiveError) {
        var updater = ArchiveUpdater(archive, from: MemoryUpdateSource(list: file), trust: Editions.trust)
        updater.time = 1_750_000_000
        _ = try updater.run()
    }
}

/// A folder of releases in memory, with another list.
private struct MemoryUpdateSource: UpdateSource {
    let list: [UInt8]
    var name: String { "memory" }

    func bytes(of name: String, atMost limit: Int) throws(ArchiveError) -> [UInt8] {
        expect(name == UpdateManifest.fileName && limit == 1 << 20, "\(name) is read, of at most \(limit) bytes")
        guard list.count <= limit else { throw ArchiveError(.limitExceeded, "a list of \(list.count) bytes") }
        return list
    }

    func append(
        _ name: String, from offset: UInt64, length: UInt64, to file: FileDescriptor, progress: (Int) -> Void
    ) throws(ArchiveError) {
        expect(UpdateManifest.isName(name) && offset <= length, "bytes \(offset) to \(length) of \(name)")
        guard let bytes = ReleaseFolder.files[name] else { throw ArchiveError(.notFound, "no \(name)") }
        guard UInt64(bytes.count) >= length else { throw ArchiveError(.truncated, "\(bytes.count) bytes of \(length)") }
        do { try file.writeAll(bytes[Int(offset)..<Int(length)]) } catch { expect(false, "\(error)") }
    }
}
