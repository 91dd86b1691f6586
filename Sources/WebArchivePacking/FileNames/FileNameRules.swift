// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The rules for a path component.
enum FileNameRules {
    /// The maximum length of a component, in bytes: `NAME_MAX` of Linux and of macOS.
    static let maximumLength = 255

    /// Returns whether `name` can be used unchanged.
    static func allow(_ name: [UInt8]) -> Bool {
        isLegal(name) && name.count <= maximumLength
    }

    /// Returns whether `byte` is permitted in an escaped name, which is made of URL text.
    static func allowEscaped(_ byte: UInt8) -> Bool { byte != .ascii("/") }

    /// Returns whether `name` is neither empty nor a dot segment and contains neither "/" nor NUL.
    static func isLegal(_ name: [UInt8]) -> Bool {
        guard let first = name.first, !name.contains(.ascii("/")), !name.contains(0) else { return false }
        return first != .ascii(".") || !(name.count == 1 || name.count == 2 && name[1] == .ascii("."))
    }
}
