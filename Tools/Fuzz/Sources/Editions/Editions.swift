// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import SystemPackage

@testable package import WebArchive

/// The editions that there are: all that the trusted keys ever signed.
package enum Editions {
    /// All that was signed: five editions, of which the last two got a second commit later.
    private static let written: (editions: [[UInt8]], earlier: [[UInt8]]) = {
        do {
            var (editions, earlier) = ([[UInt8]](), [[UInt8]]())
            for number in 1...5 {
                let path = ScratchFolder.path.appending("edition.webarc")
                var edition = Edition(number)
                try edition.write(to: path)
                if number > 3 {
                    earlier.append(ScratchFolder.read("edition.webarc") ?? [])
                    try edition.append(to: path)
                }
                editions.append(ScratchFolder.read("edition.webarc") ?? [])
                ScratchFolder.remove("edition.webarc")
            }
            return (editions, earlier)
        } catch {
            fatalError("an edition cannot be written: \(error)")
        }
    }()

    /// The bytes of the archives, the oldest edition first. The last two have two commits.
    package static var archives: [[UInt8]] { written.editions }

    /// The archives that the trusted keys signed, by the roots of their trees: the editions, and the last two as they were before.
    package static let signed: [[UInt8]: ArchiveReader] = {
        var signed: [[UInt8]: ArchiveReader] = [:]
        for bytes in written.editions + written.earlier {
            guard let archive = try? ArchiveReader(bytes: bytes, trust: trust), let statement = archive.statement else {
                fatalError("an edition that its key did not sign")
            }
            signed[statement.root] = archive
        }
        return signed
    }()

    /// The keys, of which one suffices.
    package static let trust = ArchiveTrust([Publisher.alice.publicKey, Publisher.bob.publicKey])
}
