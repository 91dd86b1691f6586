// SPDX-License-Identifier: Apache-2.0

import SystemPackage

/// An archive that is kept in several files, read by position as if it were one. Specification section 14.
///
/// All parts stay open as long as the source lives. A part that becomes shorter gives an error where it ends.
package final class PartsByteSource: ByteSource {
    /// The length of all parts together, in bytes.
    package let length: UInt64
    /// The path of the first part.
    package let name: String
    /// The parts, in their order.
    package let parts: [FileByteSource]
    /// The number of the first part.
    package var fileNumber: FileNumber? { parts.first?.fileNumber }
    /// The length of all parts but the last, in bytes.
    private let partLength: UInt64

    /// Opens all parts of an archive. Nothing of their content is read.
    ///
    /// - Parameter first: the name of the first part.
    /// - Throws: `io` for a part that is missing between others, or cannot be opened; `truncated` for one that is shorter or longer than
    ///   it has to be, with its path; `limitExceeded` for 2^48 bytes or more.
    package init(_ first: PartName) throws(ArchiveError) {
        name = first.path.string
        var parts: [FileByteSource] = []
        // Behind a gap there may be more: then it is not the end of the archive.
        let numbers = (1...PartName.maximum).filter { FileStatus(of: first.path(of: $0)) != nil }
        for (place, number) in numbers.enumerated() {
            guard number == place + 1 else {
                throw ArchiveError(
                    .io, "this part of the archive is missing, and \(first.path(of: number)) is there",
                    path: first.path(of: place + 1).string, recovery: .copyAgain)
            }
            parts.append(try FileByteSource(path: first.path(of: number)))
        }
        guard let length = parts.first?.length, let last = parts.last else {
            throw ArchiveError(.io, "cannot open the archive", path: name, cause: Errno.noSuchFileOrDirectory)
        }
        for part in parts where part !== last && part.length != length || part.length > length || part.length == 0 {
            throw ArchiveError(
                .truncated, "this part of the archive has \(part.length) bytes, and the first part \(length)",
                path: part.name, recovery: .copyAgain)
        }
        var total: UInt64 = 0
        for part in parts { total = total.addingSaturated(part.length) }
        guard total < FormatLimits.maximumFileLength else {
            throw ArchiveError(.limitExceeded, "longer than an archive can be", path: name)
        }
        (self.parts, partLength, self.length) = (parts, length, total)
    }

    /// Reads bytes of one part after another.
    ///
    /// - Throws: `io`, `truncated`; with the path of the part.
    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
        guard offset <= length, UInt64(buffer.count) <= length - offset else {
            throw ArchiveError(.truncated, "the archive ends too early", path: name, offset: length)
        }
        var (rest, position) = (buffer[...], offset)
        while !rest.isEmpty {
            let part = parts[Int(position / partLength)]
            let start = position % partLength
            let count = Int(min(UInt64(rest.count), part.length - start))
            try part.read(at: start, into: UnsafeMutableRawBufferPointer(rebasing: rest.prefix(count)))
            rest = rest.dropFirst(count)
            position += UInt64(count)
        }
    }

    /// The paths of the parts that have some bytes.
    package func paths(ofBytes range: Range<UInt64>) -> [String] {
        let first = min(Int(range.lowerBound / partLength), parts.count - 1)
        let last = min(Int((range.upperBound - 1) / partLength), parts.count - 1)
        return parts[first...max(first, last)].map(\.name)
    }
}
