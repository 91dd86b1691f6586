// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A splitter of an archive into parts that fit a medium or a file system: `NAME.001`, `NAME.002` and so on.
///
/// The parts are consecutive bytes of the archive, so any program that joins files can restore
/// it. ``ArchiveReader/init(path:access:trust:)-(FilePath,_,_)`` reads them directly, by the name of the first one.
/// Specification section 14.
///
/// ```swift
/// let summary = try ArchiveSplitter("site.webarc", into: "/media/stick").run()
/// print(summary.parts.count, summary.length)
/// ```
public struct ArchiveSplitter: Sendable {
    /// The archive, which does not change.
    public let archive: FilePath
    /// The folder for the parts.
    public let folder: FilePath
    /// The length of all parts but the last, in bytes.
    public let partLength: UInt64
    private let files = UnfinishedFiles()

    /// The maximum length of a file of FAT32, in bytes: 4 GiB less one.
    public static let maximumFAT32FileLength: UInt64 = 4_294_967_295

    /// Creates a splitter. It reads and writes nothing yet.
    ///
    /// - Parameters:
    ///   - archive: the archive, in one file.
    ///   - folder: the existing folder for the parts; nil, the default, for that of the archive.
    ///   - partLength: the part length in bytes, at least 1; ``maximumFAT32FileLength`` by default.
    public init(_ archive: FilePath, into folder: FilePath? = nil, partLength: UInt64 = maximumFAT32FileLength) {
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

    /// Aborts, for a process that is about to end: removes the parts that this splitter has written, and writes no more.
    ///
    /// - Returns: whether it removed them; false if all parts are complete, which then stay.
    package func abandon() -> Bool { files.abandon() }

    /// Writes the parts. They get their names when all are on disk, the first one last; after an error none is left.
    ///
    /// A second splitter of an archive of this name into this folder is refused meanwhile.
    ///
    /// - Parameter progress: a function that is called after each part with the bytes that were copied.
    /// - Returns: the parts.
    /// - Throws: errors of opening an archive; `invalidArgument` for a part length of 0, and for an archive that is in parts;
    ///   `limitExceeded` for more than 999 parts; `alreadyExists` if there is a part of this name;
    ///   `locked` if another splitter has locked them; `changed` if the archive becomes
    ///   shorter meanwhile; `io`.
    @discardableResult
    public func run(progress: (@Sendable (WorkProgress) -> Void)? = nil) throws(ArchiveError) -> Summary {
        try PartName.refuse(archive)
        let reader = try ArchiveReader(path: archive)
        guard let input = reader.index.source as? FileByteSource else {
            throw ArchiveError(.invalidArgument, "the archive is already split", path: archive.string)
        }
        let length = reader.fileLength
        guard partLength > 0 else { throw ArchiveError(.invalidArgument, "the part length is 0", path: archive.string) }
        let count = (length - 1) / partLength + 1
        guard count <= PartName.maximum else {
            throw ArchiveError(
                .limitExceeded,
                "\(count) parts of \(partLength) bytes exceed the limit of \(PartName.maximum) parts; make them longer",
                path: archive.string)
        }
        // The file of the lock becomes the first part. Users who may not read the archive may not read its parts.
        let rights = SourceRights(of: [input])
        let name = PartName(1, of: folder.appending(archive.lastComponent?.string ?? "archive"))
        let first = try FilePlace(name.path)
        func place(of number: Int) -> FilePlace { FilePlace(name.path(of: number), in: first.folder) }
        let lock = try WriterLock(archive: first, rights)
        do throws(ArchiveError) {
            try files.begin(with: lock)
            // A part of a different archive after the last one would be taken for one of this.
            for number in 1...PartName.maximum where place(of: number).status(followsLinks: true) != nil {
                throw ArchiveError(
                    .alreadyExists, "the file already exists; remove it, or choose another folder",
                    path: name.path(of: number).string)
            }
            let parts = (1...Int(count)).map(place)
            try write(parts, input, length, rights, firstInto: lock.descriptor, progress)
            for part in parts.dropFirst().reversed() { try files.rename(part.with(), to: part) }
            try files.finish(lock, as: first)
            return Summary(parts: parts.map(\.path), length: length)
        } catch {
            lock.remove()
            files.remove()
            throw error
        }
    }

    private func write(
        _ parts: [FilePlace], _ input: FileByteSource, _ length: UInt64, _ rights: SourceRights,
        firstInto first: FileDescriptor, _ progress: (@Sendable (WorkProgress) -> Void)?
    ) throws(ArchiveError) {
        var state = WorkProgress()
        (state.totalBytes, state.totalItems) = (length, parts.count)
        for (number, part) in parts.enumerated() {
            let wanted = min(partLength, length - state.bytes)
            let isFirst = number == 0
            let output = isFirst ? first : try files.make(part.with(), rights)
            do {
                // The lock is with the first one as long as that is open.
                defer { if !isFirst { try? output.close() } }
                try ArchiveCopy.append(file: input, to: output, atMost: Int(wanted))
                guard fsync(output.rawValue) == 0 else { throw Errno(rawValue: errno) }
                guard FileStatus(of: output)?.length == wanted else {
                    throw ArchiveError(.changed, "the archive was truncated while it was split", path: archive.string)
                }
            } catch {
                throw error as? ArchiveError
                    ?? ArchiveError(.io, "cannot write a part", path: part.path.string, cause: error)
            }
            state.bytes += wanted
            state.items += 1
            progress?(state)
        }
    }
}
