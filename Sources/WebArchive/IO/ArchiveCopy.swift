// SPDX-License-Identifier: Apache-2.0

import CWebArchiveSystem
package import SystemPackage

#if canImport(Darwin)
    import Darwin
    import Foundation
#else
    import Glibc
#endif

/// A copy of a file that shares its blocks where the file system can do that.
package enum ArchiveCopy {
    /// Copies a file to a new one, and waits until it is on disk.
    ///
    /// - Throws: an error of the system.
    package static func make(of source: FilePath, at target: FilePath) throws {
        #if os(Linux)
            let input = try FileDescriptor.open(source, .readOnly, options: [.closeOnExec])
            defer { try? input.close() }
            let output = try FileDescriptor.open(
                target, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
            defer { try? output.close() }
            try append(input, to: output)
            guard fsync(output.rawValue) == 0 else { throw Errno(rawValue: errno) }
        #else
            // Foundation clones there.
            try FileManager.default.copyItem(atPath: source.string, toPath: target.string)
        #endif
    }

    /// Copies what is left of an open file to another, at the places at which both are.
    ///
    /// - Throws: an error of the system.
    package static func append(_ input: FileDescriptor, to output: FileDescriptor) throws {
        #if os(Linux)
            var copied = 0
            while true {
                let count = webarchive_copy_file_range(input.rawValue, output.rawValue, 1 << 30)
                if count == 0 { break }
                if count < 0 {
                    // Not between these file systems: through memory.
                    guard copied == 0, [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) else {
                        throw Errno(rawValue: errno)
                    }
                    try copy(input, output)
                    break
                }
                copied += Int(count)
            }
        #else
            try copy(input, output)
        #endif
    }

    private static func copy(_ input: FileDescriptor, _ output: FileDescriptor) throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try input.read(into: $0) }
            if count == 0 { return }
            _ = try output.writeAll(buffer[..<count])
        }
    }
}
