// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

/// An export of the index of an archive as a keyed archive: a binary property list in the form of `NSKeyedArchiver`.
///
/// `$top` has `entries`, `metadata` and `bodies`, arrays of all commits' rows in the order of the archive. Rows are objects of the classes
/// of section 7, with its keys; a reference that is null, and a time that is unknown, are left out. Beyond section 7:
///
/// - Strings are property list strings, or data where they are not UTF-8; so is `key` of an `Entry`, its canonical URL.
/// - A header list is an `NSArray` of its fields. `fill` is an `NSArray` of just those strings that fill the list's open places, in order.
/// - A digest is data of 16 bytes. Times are integers: nanoseconds since 1970-01-01T00:00:00Z.
///
/// `KeyBlock`, `Bucket` and `Slot`, which only serve lookup, are missing, nor are the bodies' bytes.
public struct KeyedArchiveExport: Sendable {
    /// The archive whose index is exported.
    public let archive: ArchiveReader

    /// Creates an export of an archive's index. It reads nothing yet.
    public init(_ archive: ArchiveReader) { self.archive = archive }

    /// Writes the property list to a file. A regular file is replaced when the list is complete: the list is written beside the name, with
    /// `.partial` after it, and renamed. A failed run leaves the former file, and no other.
    ///
    /// A pipe, a device and the target of a symbolic link are written to directly, and a failed run leaves a part there.
    ///
    /// - Parameter path: the path of the list. A new file is readable by those who can read the archive, less the `umask`.
    /// - Throws: `io`, and errors of ``write(to:)-(([UInt8])->Void)``.
    public func write(to path: FilePath) throws(ArchiveError) {
        let plan = try KeyedArchiveEncoder.plan(archive.index)
        let rights = SourceRights(of: [archive.index.source])
        if FileStatus(of: path, followsLinks: false)?.isRegular ?? true {
            try ReplacementFile.write(to: FilePlace(path)) { partial in
                let file = try TemporaryFiles.create(partial, .writeOnly, permissions: rights.whenMade)
                rights.admitGroup(to: file)
                try write(plan, to: file, path)
            }
        } else {
            let file: FileDescriptor
            do {
                file = try FileDescriptor.open(
                    path, .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: rights.whenMade)
            } catch {
                throw ArchiveError(.io, "cannot write the property list", path: path.string, cause: error)
            }
            try write(plan, to: file, path)
        }
    }

    private func write(
        _ plan: KeyedArchiveEncoder.Plan, to file: FileDescriptor, _ path: FilePath
    ) throws(ArchiveError) {
        do {
            try file.closeAfter {
                try encode(plan) { chunk throws(ArchiveError) in
                    do {
                        try file.writeAll(chunk)
                    } catch {
                        throw ArchiveError(.io, "cannot write the property list", path: path.string, cause: error)
                    }
                }
            }
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw ArchiveError(.io, "cannot write the property list", path: path.string, cause: error)
        }
    }

    /// Writes the property list to `sink`, in chunks of about 64 KiB.
    ///
    /// Takes a few tens of bytes of memory for each row.
    ///
    /// - Parameter sink: a function that is called on this thread with one chunk after another, to be put together in this order.
    /// - Throws: `damaged` or `io` for data that cannot be read, `limitExceeded` if header lists share fields in a way that
    ///   would make the list far larger than the index, and errors of `sink`.
    public func write(to sink: @escaping ([UInt8]) throws(ArchiveError) -> Void) throws(ArchiveError) {
        try encode(KeyedArchiveEncoder.plan(archive.index), into: sink)
    }

    private func encode(
        _ plan: KeyedArchiveEncoder.Plan, into sink: @escaping ([UInt8]) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let list = BinaryPropertyList(objectCount: plan.listCount, sink: sink)
        var encoder = KeyedArchiveEncoder(archive.index, plan, into: list)
        try encoder.encode()
    }
}
