// SPDX-License-Identifier: Apache-2.0

import SyntheticSite
import WebArchive

/// Opens a signed archive with a key and reads one page, each time anew; prints the seconds of each time.
///
///     open-page ARCHIVE KEY URL TIMES
@main
enum OpenPage {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let times = Int(arguments[4]) else {
            fatalError("usage: open-page ARCHIVE KEY URL TIMES")
        }
        let key = try ArchivePublicKey(text: String(decoding: contents(ofFile: arguments[2]), as: UTF8.self))
        var length = 0
        let seconds = try (0..<times).map { _ in
            try ContinuousClock().measure {
                let archive = try ArchiveReader(path: arguments[1], trust: ArchiveTrust([key]))
                guard let body = try archive.entry(for: arguments[3])?.body else { fatalError("no such page") }
                length = try body.bytes().count
            } / .seconds(1)
        }
        print(#"{"seconds": \#(seconds), "length": \#(length)}"#)
    }
}
