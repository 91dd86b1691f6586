// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A splitter of an archive into parts that fit a medium or a file system: `NAME.001`, `NAME.002` and so on.
///
/// The parts are the bytes of the archive, one after another, so that any program that joins files makes the archive of
/// them again. ``ArchiveReader/init(path:access:trust:)-(FilePath,_,_)`` reads them as they are, by the name of the first one.
/// Specification section 14.
///
/// ```swift
/// let summary = try ArchiveSplitter("site.webarc", into: "/media/stick").run()
/// print(summary.parts.count, summary.length)
/// ```
public struct ArchiveSplitter: Sendable {
    /// The archive, which stays as it is.
    public let archive: FilePath
    /// The folder for the parts.
    public let folder: FilePath
    /// The length of all parts but the last, in bytes.
    public let partLength: UInt64

    /// The longest file of FAT32, in bytes: 4 GiB less one.
    public static let longestFAT32File: UInt64 = 4_294_967_295

    /// Creates a splitter. Reads and writes nothing yet.
    ///
    /// - Parameters:
    ///   - archive: one file.
    ///   - folder: the folder for the parts, which is there already; nil, the default, for that of the archive.
    ///   - partLength: in bytes, at least 1; ``longestFAT32File`` by default.
    public init(_ archive: FilePath, into folder: FilePath? = nil, partLength: UInt64 = longestFAT32File) {
        self.archive = archive
        self.folder = folder ?? archive.removingLastComponent()
        self.partLength = partLength
    }

    /// The result of splitting an archive.
    public struct Summary: Sendable {
        /// The parts, in their order.
        public let parts: [FilePath]
        /// The length of the archive, in bytes.
        public let length: UInt64
    }

    /// Removes what was written, for a process that is about to end.
    package func removePartialFiles() {
        for number in 1...PartName.maximum { unlink(Self.partial(name.path(of: number)).string) }
    }

    private var name: PartName { PartName(1, of: folder.appending(archive.lastComponent?.string ?? "archive")) }

    private static func partial(_ part: FilePath) -> FilePath { FilePath(part.string + ".partial") }

    /// Writes the parts. They get their names when all are on disk, the first one last.
    ///
    /// - Parameter progress: called after each part with the bytes that were copied.
    /// - Returns: the parts.
    /// - Throws: what opening an archive throws; `invalidArgument` for a part length of 0, and for an archive that is in parts;
    ///   `limitExceeded` for more than 999 parts; `alreadyExists` if there is a part of this name; `changed` if the archive becomes
    ///   shorter meanwhile; `io`.
    @discardableResult
    public func run(progress: (@Sendable (WorkProgress) -> Void)? = nil) throws(ArchiveError) -> Summary {
        try PartName.refuse(archive)
        let length = try ArchiveReader(path: archive).fileLength
        guard partLength > 0 else { throw ArchiveError(.invalidArgument, "parts of no bytes", path: archive.string) }
        let count = (length - 1) / partLength + 1
        guard count <= PartName.maximum else {
            throw ArchiveError(
                .limitExceeded,
                "\(count) parts of \(partLength) bytes; an archive has at most \(PartName.maximum), so make them longer",
                path: archive.string)
        }
        // A part of another archive behind the last one would be taken for one of this.
        for number in 1...PartName.maximum where FileStatus(of: name.path(of: number)) != nil {
            throw ArchiveError(
                .alreadyExists, "a part of this name is there already; remove it, or choose another folder",
                path: name.path(of: number).string)
        }
        let parts = (1...Int(count)).map { name.path(of: $0) }
        defer { for part in parts { unlink(Self.partial(part).string) } }
        try write(parts, length, progress)
        for part in parts.reversed() {
            guard rename(Self.partial(part).string, part.string) == 0 else {
                throw ArchiveError(.io, "cannot name a part", path: part.string, cause: Errno(rawValue: errno))
            }
        }
        return Summary(parts: parts, length: length)
    }

    private func write(
        _ parts: [FilePath], _ length: UInt64, _ progress: (@Sendable (WorkProgress) -> Void)?
    ) throws(ArchiveError) {
        var state = WorkProgress()
        (state.totalBytes, state.totalItems) = (length, parts.count)
        var part = parts[0]
        do {
            let input = try FileDescriptor.open(archive, .readOnly, options: [.closeOnExec, .nonBlocking])
            defer { try? input.close() }
            // A user who may not read the archive may not read its parts.
            let permissions = FileStatus(of: input)?.permissions.intersection([
                .ownerReadWrite, .groupReadWrite, .otherReadWrite,
            ])
            for next in parts {
                part = next
                let wanted = min(partLength, length - state.bytes)
                unlink(Self.partial(part).string)
                let output = try FileDescriptor.open(
                    Self.partial(part), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                    permissions: permissions ?? .ownerReadWrite)
                try output.closeAfter {
                    try ArchiveCopy.append(input, to: output, atMost: Int(wanted))
                    guard fsync(output.rawValue) == 0 else { throw Errno(rawValue: errno) }
                    guard FileStatus(of: output)?.length == wanted else {
                        throw ArchiveError(.changed, "the archive became shorter", path: archive.string)
                    }
                }
                state.bytes += wanted
                state.items += 1
                progress?(state)
            }
        } catch {
            throw error as? ArchiveError ?? ArchiveError(.io, "cannot write a part", path: part.string, cause: error)
        }
    }
}
