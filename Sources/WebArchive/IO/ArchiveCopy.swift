// SPDX-License-Identifier: Apache-2.0

import CWebArchiveSystem
package import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A copy of a file that shares its blocks, on Linux, if the file system supports it.
package enum ArchiveCopy {
    /// Copies an archive, with all its parts, to a new file under a temporary name, and waits until it is on disk.
    ///
    /// - Throws: an error of the system.
    package static func make(of source: any ByteSource, at target: FilePlace) throws {
        let output = try TemporaryFiles.create(target, .writeOnly, permissions: .ownerReadWrite)
        try output.closeAfter {
            try append(source, to: output)
            guard fsync(output.rawValue) == 0 else { throw Errno(rawValue: errno) }
        }
    }

    /// Copies an open archive in files, with all its parts, to an open file, at its current position.
    ///
    /// - Parameter source: a source that no one else copies meanwhile.
    /// - Throws: an error of the system, or `changed` for a part that was replaced.
    package static func append(_ source: any ByteSource, to output: FileDescriptor) throws {
        if let parts = source as? PartsByteSource {
            for number in 1...parts.count { try append(file: parts.openPart(number), to: output) }
        } else if let file = source as? FileByteSource {
            try file.descriptor.seek(offset: 0, from: .start)
            try append(file: file, to: output)
        } else {
            throw Errno.notSupported
        }
    }

    /// Copies the rest of a source in a file to another file. As ``append(_:to:atMost:)-(FileDescriptor,_,_)``.
    static func append(file: FileByteSource, to output: FileDescriptor, atMost limit: Int? = nil) throws {
        // The last reference to the source closes the file.
        try withExtendedLifetime(file) { try append(file.descriptor, to: output, atMost: limit) }
    }

    /// Copies the rest of an open file to another, at their current positions.
    ///
    /// - Parameter limit: the most bytes that are copied; nil, the default, for all that is left.
    /// - Throws: an error of the system.
    package static func append(_ input: FileDescriptor, to output: FileDescriptor, atMost limit: Int? = nil) throws {
        #if os(Linux)
            var copied = 0
            while copied < limit ?? .max {
                let length = min(1 << 30, (limit ?? .max) - copied)
                let count = webarchive_copy_file_range(input.rawValue, output.rawValue, Int64(length))
                if count == 0 { break }
                if count < 0 {
                    // Not between these file systems: through memory.
                    guard copied == 0, [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) else {
                        throw Errno(rawValue: errno)
                    }
                    try copy(input, output, limit)
                    break
                }
                copied += Int(count)
            }
        #else
            try copy(input, output, limit)
        #endif
    }

    private static func copy(_ input: FileDescriptor, _ output: FileDescriptor, _ limit: Int?) throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var left = limit ?? .max
        while left > 0 {
            let count = try buffer.withUnsafeMutableBytes { buffer in
                try input.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(left)))
            }
            if count == 0 { return }
            _ = try output.writeAll(buffer[..<count])
            left -= count
        }
    }
}
