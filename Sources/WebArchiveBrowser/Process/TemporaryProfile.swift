// SPDX-License-Identifier: Apache-2.0

import Foundation
package import SystemPackage
package import WebArchive

/// The folder of a browser's profile, for one run, and what the browser prints.
package struct TemporaryProfile: Sendable {
    private let folder: FilePath

    /// Makes the folder, which only its owner can read.
    ///
    /// - Throws: `io`.
    package init() throws(ArchiveError) {
        // Chromium makes a socket among its temporary files, and the path of a socket has at most 107 bytes.
        let isShort = NSTemporaryDirectory().utf8.count <= 30
        // mkdtemp writes a name of its own over the six letters.
        let pattern = FilePath(isShort ? NSTemporaryDirectory() : "/tmp").appending("webarc-kiosk-XXXXXX").string
        var bytes = Array(pattern.utf8CString)
        guard mkdtemp(&bytes) != nil else {
            throw ArchiveError(
                .io, "cannot make a folder for the browser's profile", path: pattern, cause: Errno(rawValue: errno))
        }
        folder = FilePath(String(decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
        try PrivateFile.makeFolder(path)
        try PrivateFile.makeFolder(temporary)
    }

    /// The folder of the profile itself.
    package var path: FilePath { folder.appending("profile") }
    /// For the temporary files of the browser, which leaves them there when it is killed.
    package var temporary: FilePath { folder.appending("tmp") }
    /// The file that takes what the browser prints.
    package var log: FilePath { folder.appending("browser.log") }

    /// The last line that the browser printed, of which 300 characters count; nil if there is none, or the log cannot be read.
    package var lastLogLine: String? {
        guard let text = try? PrivateFile.text(of: log) else { return nil }
        return text.split(whereSeparator: \.isNewline).last.map { String($0.prefix(300)) }
    }

    /// Files beyond which they are not counted any more: a browser has some hundreds.
    private static let mostFiles = 50_000

    /// The space that everything in the folder takes, in bytes: what pages store, which on a file system in memory is memory. `Int.max` for
    /// very many files.
    package var size: Int {
        let keys: Set<URLResourceKey> = [.totalFileAllocatedSizeKey]
        let files = FileManager.default.enumerator(
            at: URL(fileURLWithPath: folder.string), includingPropertiesForKeys: Array(keys))
        var (size, count) = (0, 0)
        while let file = files?.nextObject() as? URL {
            count += 1
            guard count <= Self.mostFiles else { return .max }
            size += (try? file.resourceValues(forKeys: keys))?.totalFileAllocatedSize ?? 0
        }
        return size
    }

    /// Removes the folder with all that is in it. Errors are ignored.
    package func remove() { try? FileManager.default.removeItem(atPath: folder.string) }
}
