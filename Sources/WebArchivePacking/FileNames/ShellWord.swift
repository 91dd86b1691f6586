// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A word of a command line as a user types it into a POSIX shell, for commands that a warning proposes.
enum ShellWord {
    /// The pattern of a name, as ``GlobPattern`` reads it, in quotes: whatever the name is, a shell takes it for one word and runs none of
    /// it.
    ///
    /// Bytes that are no printable ASCII, which nobody can type and a terminal may not show, become `?`, which matches any byte.
    static func pattern(ofName name: [UInt8]) -> String {
        var pattern = ""
        for byte in name {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["):
                pattern += "\\" + String(UnicodeScalar(byte))
            // Nothing but this ends a text in single quotes (POSIX.1-2017, Shell Command Language, section 2.2.2).
            case UInt8(ascii: "'"): pattern += #"'\''"#
            case 0x20...0x7E: pattern += String(UnicodeScalar(byte))
            default: pattern += "?"
            }
        }
        return "'\(pattern)'"
    }
}
