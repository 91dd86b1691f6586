// SPDX-License-Identifier: Apache-2.0

import CWebArchiveSystem
import Synchronization
import SystemPackage

/// An archive in several files, read by position like one file. Specification section 14.
///
/// The first part stays open as long as the source lives, and of the others those that were read last: the file descriptors of a process are
/// few, and an archive may have 999 parts. A part that is opened again must be the same file.
package final class PartsByteSource: ByteSource {
    /// The length of all parts together, in bytes.
    package let length: UInt64
    /// The path of the first part.
    package let name: String
    /// The number of parts.
    package let count: Int
    /// The number of the first part.
    package var fileNumber: FileNumber? { first.fileNumber }

    /// The maximum number of open parts other than the first one, except those that threads are reading.
    static let maximumOpenCount = 8

    private let part: PartName
    private let first: FileByteSource
    /// The status of each part at the opening of the source.
    let statuses: [FileStatus]
    /// Whether a part has an access control list.
    let hasAccessList: Bool
    /// Whether the file system keeps the numbers of files that no process has open.
    private let keepsNumbers: Bool
    /// The parts that were read last, the latest one last.
    private let open = Mutex<[(number: Int, file: FileByteSource)]>([])
    /// The length of all parts but the last, in bytes.
    private var partLength: UInt64 { first.length }

    /// Finds all parts of an archive, each of which can be opened. It reads none of their content.
    ///
    /// - Parameter first: the name of the first part.
    /// - Throws: `io` for a part that is missing between others, or cannot be opened; `truncated` for one that is shorter or longer than
    ///   it must be, with its path; `limitExceeded` for 2^48 bytes or more.
    package init(_ first: PartName) throws(ArchiveError) {
        (part, name) = (first, first.path.string)
        // After a gap there may be more: then it is not the end of the archive.
        let numbers = (1...PartName.maximum).filter { FileStatus(of: first.path(of: $0)) != nil }
        guard !numbers.isEmpty else {
            throw ArchiveError(.io, "cannot open", path: name, cause: Errno.noSuchFileOrDirectory)
        }
        if let (place, number) = numbers.enumerated().first(where: { $0.element != $0.offset + 1 }) {
            throw ArchiveError(
                .io, "this part of the archive is missing, but \(first.path(of: number)) exists",
                path: first.path(of: place + 1).string, recovery: .copyAgain)
        }
        self.first = try FileByteSource(path: first.path(of: 1))
        let wanted = self.first.length
        var (files, total) = ([self.first.status], wanted)
        var isListed = webarchive_has_access_list(self.first.descriptor.rawValue)
        for number in numbers.dropFirst() {
            let file = try FileByteSource(path: first.path(of: number))
            let length = file.length
            guard number == numbers.count ? length <= wanted && length > 0 : length == wanted else {
                throw Self.wrongLength(length, of: file.name, wanted)
            }
            files.append(file.status)
            isListed = isListed || webarchive_has_access_list(file.descriptor.rawValue)
            total = total.addingSaturated(length)
        }
        guard wanted > 0 else { throw Self.wrongLength(0, of: name, wanted) }
        guard total < FormatLimits.maximumFileLength else {
            throw ArchiveError(.limitExceeded, "the archive exceeds the maximum length", path: name)
        }
        (statuses, count, length) = (files, files.count, total)
        hasAccessList = isListed
        keepsNumbers = webarchive_keeps_file_numbers(self.first.descriptor.rawValue)
    }

    private static func wrongLength(_ length: UInt64, of part: String, _ wanted: UInt64) -> ArchiveError {
        ArchiveError(
            .truncated, "this part of the archive has \(length) bytes, but the first part has \(wanted)", path: part,
            recovery: .copyAgain)
    }

    /// Opens a part, for only one reader.
    ///
    /// It must be the same file, by ``isSame(_:_:comparesNumbers:)``.
    ///
    /// - Parameter number: the number, 1 to ``count``.
    /// - Throws: `changed` if a different file has its name now; `io`.
    func openPart(_ number: Int) throws(ArchiveError) -> FileByteSource {
        let file = try FileByteSource(path: part.path(of: number))
        guard Self.isSame(file.status, statuses[number - 1], comparesNumbers: keepsNumbers) else {
            throw ArchiveError(
                .changed,
                "this part of the archive changed while the archive was open; open it again",
                path: file.name)
        }
        return file
    }

    /// Returns whether the status of a part that is opened again is that of the same file with the same contents, and the same users may read it.
    ///
    /// - Parameter comparesNumbers: whether the number of the file counts, besides its device. FAT has none, and the system assigns new ones
    ///   once it has forgotten the file; nor has FAT owners or links, so that no user can exchange a part for a file that only others may read.
    static func isSame(_ now: FileStatus, _ former: FileStatus, comparesNumbers: Bool) -> Bool {
        now.length == former.length && now.identity.modified == former.identity.modified
            && now.hasSameAccess(as: former)
            && (comparesNumbers ? now.number == former.number : now.number.isOnDevice(of: former.number))
    }

    /// Returns whether the parts of a second opening are the same files.
    func isSame(as other: PartsByteSource) -> Bool {
        statuses.elementsEqual(other.statuses) { Self.isSame($1, $0, comparesNumbers: keepsNumbers) }
    }

    private func file(_ number: Int) throws(ArchiveError) -> FileByteSource {
        if number == 1 { return first }
        let known = open.withLock { open -> FileByteSource? in
            guard let place = open.firstIndex(where: { $0.number == number }) else { return nil }
            open.append(open.remove(at: place))
            return open.last?.file
        }
        if let known { return known }
        // A slow disk holds up those alone who read this part.
        let file = try openPart(number)
        open.withLock { open in
            open.removeAll { $0.number == number }
            if open.count == Self.maximumOpenCount { open.removeFirst() }
            open.append((number, file))
        }
        return file
    }

    /// Reads bytes across consecutive parts.
    ///
    /// - Throws: `io`, `truncated`, `changed`; with the path of the part.
    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
        guard offset <= length, UInt64(buffer.count) <= length - offset else {
            throw ArchiveError(.truncated, "the archive is truncated", path: name, offset: length)
        }
        var (rest, position) = (buffer[...], offset)
        while !rest.isEmpty {
            let part = try file(Int(position / partLength) + 1)
            let start = position % partLength
            let count = Int(min(UInt64(rest.count), part.length - start))
            try part.read(at: start, into: UnsafeMutableRawBufferPointer(rebasing: rest.prefix(count)))
            rest = rest.dropFirst(count)
            position += UInt64(count)
        }
    }

    /// Returns the paths of the parts that contain a range of bytes.
    package func paths(ofBytes range: Range<UInt64>) -> [String] {
        let first = min(Int(range.lowerBound / partLength) + 1, count)
        let last = min(Int((range.upperBound - 1) / partLength) + 1, count)
        return (first...max(first, last)).map { part.path(of: $0).string }
    }
}
