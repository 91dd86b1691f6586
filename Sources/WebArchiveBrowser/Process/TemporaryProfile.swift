// SPDX-License-Identifier: Apache-2.0

import Foundation
package import SystemPackage
package import WebArchive

/// The folder of a browser's profile, for one run, and of the browser's output.
package struct TemporaryProfile: Sendable {
    /// The folder of all that follows.
    package let folder: FilePath
    private let lock: ProfileLock

    private static let prefix = "webarc-kiosk-"

    /// Creates the folder, which only its owner can read, and removes those of runs that were killed.
    ///
    /// - Throws: `io`.
    package init() throws(ArchiveError) {
        // Chromium makes a socket among its temporary files, and the path of a socket has at most 107 bytes.
        let isShort = NSTemporaryDirectory().utf8.count <= 30
        // mkdtemp writes a name of its own over the six letters.
        let parent = FilePath(isShort ? NSTemporaryDirectory() : "/tmp")
        ProfileLock.removeAbandoned(in: parent, prefix: Self.prefix)
        let pattern = parent.appending("\(Self.prefix)XXXXXX").string
        var bytes = Array(pattern.utf8CString)
        guard mkdtemp(&bytes) != nil else {
            throw ArchiveError(
                .io, "cannot create a folder for the browser's profile", path: pattern, cause: Errno(rawValue: errno))
        }
        folder = FilePath(String(decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
        do {
            lock = try ProfileLock(folder)
        } catch {
            throw ArchiveError(
                .io, "cannot lock the folder of the browser's profile", path: folder.string, cause: error)
        }
        try PrivateFile.makeFolder(path)
        try PrivateFile.makeFolder(temporary)
    }

    /// The folder of the profile itself.
    package var path: FilePath { folder.appending("profile") }
    /// The folder for temporary files of the browser, which leaves them there when it is killed.
    package var temporary: FilePath { folder.appending("tmp") }
    /// The file for the output of the browser.
    package var log: FilePath { folder.appending("browser.log") }

    /// The number of bytes at the end of the log that are read, and kept when it is truncated.
    private static let endOfLog = 64 << 10
    /// The length in bytes beyond which the log is truncated.
    package static let maximumLogLength = 4 << 20

    /// The last line that the browser printed, in the last 64 KiB of the log, of which 300 characters count; nil if there is none, or the
    /// log cannot be read.
    package var lastLogLine: String? {
        let text = try? withLog(.readOnly) { file, length in
            String(decoding: try Self.end(of: file, length), as: UTF8.self)
        }
        return text?.split(whereSeparator: \.isNewline).last.map { String($0.prefix(300)) }
    }

    /// Truncates a log of more than 4 MiB to its last 64 KiB. The browser continues after them; its output at that moment may be lost. Errors
    /// are ignored.
    package func trimLog() {
        try? withLog(.readWrite) { file, length in
            guard length > Self.maximumLogLength else { return }
            let end = try Self.end(of: file, length)
            try file.resize(to: 0)
            try file.writeAll(end)
        }
    }

    private func withLog<Result>(
        _ mode: FileDescriptor.AccessMode, _ body: (FileDescriptor, Int64) throws -> Result
    ) throws -> Result {
        let file = try FileDescriptor.open(log, mode, options: [.append, .closeOnExec])
        return try file.closeAfter { try body(file, file.seek(offset: 0, from: .end)) }
    }

    private static func end(of file: FileDescriptor, _ length: Int64) throws -> [UInt8] {
        let start = max(0, length - Int64(endOfLog))
        var bytes = [UInt8](repeating: 0, count: Int(length - start))
        let count = try bytes.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: start, into: $0) }
        return Array(bytes.prefix(count))
    }

    /// The number of files beyond which they are not counted: a browser has some hundreds.
    private static let maximumFileCount = 50_000

    /// The space that all files but the log take, in bytes: the data of pages, which on a file system in memory is memory. `Int.max` for very
    /// many files.
    package var size: Int {
        let keys: Set<URLResourceKey> = [.totalFileAllocatedSizeKey]
        var (size, count) = (0, 0)
        for part in [path, temporary] {
            let files = FileManager.default.enumerator(
                at: URL(fileURLWithPath: part.string), includingPropertiesForKeys: Array(keys))
            while let file = files?.nextObject() as? URL {
                count += 1
                guard count <= Self.maximumFileCount else { return .max }
                size += (try? file.resourceValues(forKeys: keys))?.totalFileAllocatedSize ?? 0
            }
        }
        return size
    }

    /// Removes the folder with all its contents. Errors are ignored.
    package func remove() { try? FileManager.default.removeItem(atPath: folder.string) }
}
