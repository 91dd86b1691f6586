// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
package import WebArchive

/// The option to print JSON for programs.
package struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON for programs, one object per line.")
    package var isOn = false

    package init() {}
}

extension StandardOutput {
    /// Writes an object as one line.
    package func json(_ value: JSONValue) throws(ArchiveError) {
        try value.forEachPiece { (piece) throws(ArchiveError) in try write(piece) }
        try write([0x0A])
    }
}
