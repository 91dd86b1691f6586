// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The rules for a path component, on every system or on the stricter ones too.
struct FileNameRules: Hashable, Sendable {
    static let maximumLength = 255

    /// Whether names must also be usable on Windows and on file systems that only take Unicode.
    let portable: Bool

    /// Whether `name` can be used as it is.
    func allow(_ name: [UInt8]) -> Bool {
        Self.isLegal(name) && name.count <= Self.maximumLength && (!portable || Self.isPortable(name))
    }

    /// Whether `byte` may stand in an escaped name, which is made of URL text.
    func allowEscaped(_ byte: UInt8) -> Bool {
        byte != .ascii("/") && !(portable && ASCIISet.windowsForbidden.contains(byte))
    }

    /// Whether `name` is neither empty nor a dot segment and holds neither "/" nor NUL.
    static func isLegal(_ name: [UInt8]) -> Bool {
        guard let first = name.first, !name.contains(.ascii("/")), !name.contains(0) else { return false }
        return first != .ascii(".") || !(name.count == 1 || name.count == 2 && name[1] == .ascii("."))
    }

    private static func isPortable(_ name: [UInt8]) -> Bool {
        guard let last = name.last, last != .ascii("."), last != .ascii(" "),
            !name.contains(where: ASCIISet.windowsForbidden.contains),
            String(validating: name, as: UTF8.self) != nil
        else { return false }
        return !isDevice(name)
    }

    /// Windows takes a device name for the device whatever its case and whatever follows its first ".".
    private static func isDevice(_ name: [UInt8]) -> Bool {
        var stem = name.prefix { $0 != .ascii(".") }
        while stem.last == .ascii(" ") { stem.removeLast() }
        let folded = stem.map(\.lowercasedASCII)
        if devices.contains(where: folded.elementsEqual) { return true }
        guard folded.starts(with: "com".utf8) || folded.starts(with: "lpt".utf8) else { return false }
        let number = folded.dropFirst(3)
        if number.count == 1 { return number.allSatisfy(\.isASCIIDigit) }
        return superscripts.contains(where: number.elementsEqual)
    }

    private static let devices = ["con", "prn", "aux", "nul", "conin$", "conout$"].map { Array($0.utf8) }
    private static let superscripts = ["\u{B9}", "\u{B2}", "\u{B3}"].map { Array($0.utf8) }
}
