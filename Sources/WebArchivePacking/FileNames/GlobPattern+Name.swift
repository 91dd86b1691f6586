// SPDX-License-Identifier: Apache-2.0

import WebArchive

extension GlobPattern {
    /// Writes the pattern that a name matches.
    ///
    /// Bytes that are no printable ASCII, which nobody can type and a terminal may not show, become `?`, which matches any byte.
    static func text(ofName name: [UInt8]) -> String {
        var pattern = ""
        for byte in name {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["):
                pattern += "\\" + String(UnicodeScalar(byte))
            case 0x20...0x7E: pattern += String(UnicodeScalar(byte))
            default: pattern += "?"
            }
        }
        return pattern
    }
}
