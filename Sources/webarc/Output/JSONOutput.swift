// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebArchive

/// The option to print for programs instead of for people.
struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON for programs, one object a line.")
    var isOn = false
}

extension StandardOutput {
    /// Writes an object in a line of its own.
    func json(_ value: JSONValue) throws(ArchiveError) { try line(value.line) }
}
