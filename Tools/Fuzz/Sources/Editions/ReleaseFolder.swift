// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import Glibc
import SystemPackage
import WebArchiveUpdates

@testable import WebArchive

/// A release folder with editions of ``Editions``, in memory.
package enum ReleaseFolder {
    /// The files by their names, `updates.json` among them.
    package static let files: [String: [UInt8]] = {
        let folder = ScratchFolder.path.appending("releases")
        do {
            for archive in Editions.archives.prefix(3) {
                var release = ArchiveRelease(into: folder, keys: [Publisher.alice], time: 1_750_000_000)
                release.lifetime = .seconds(1 << 40)
                try release.publish(ScratchFolder.write("edition.webarc", archive))
            }
        } catch {
            fatalError("the editions cannot be released: \(error)")
        }
        ScratchFolder.remove("edition.webarc")
        var files: [String: [UInt8]] = [:]
        for name in ScratchFolder.names(in: "releases") {
            files[name] = ScratchFolder.read("releases/\(name)")
            ScratchFolder.remove("releases/\(name)")
        }
        rmdir(folder.string)
        return files
    }()
}
