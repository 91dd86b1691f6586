// SPDX-License-Identifier: Apache-2.0

import SyntheticSite
import SystemPackage
import WebArchive

/// The files that Tools/benchmark has made.
struct Fixture: Sendable {
    let place: String
    let site: SyntheticSite

    init(_ place: String) {
        self.place = place
        site = SyntheticSite(paths: contents(ofFile: "\(place)/paths"), headers: .recorded)
    }

    /// How many entries the archives have that were made.
    var sizes: [Int] {
        [10, 1_000_000, 10_000_000].filter { (try? FileDescriptor.open(path($0), .readOnly).close()) != nil }
    }

    func path(_ entries: Int) -> FilePath { FilePath("\(place)/\(entries).webarc") }

    func archive(_ entries: Int) throws -> ArchiveReader { try ArchiveReader(path: path(entries)) }

    /// Pages of documentation, one after another.
    var text: [UInt8] { contents(ofFile: "\(place)/text") }
}
