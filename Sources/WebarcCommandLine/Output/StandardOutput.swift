// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemPackage
package import WebArchive

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The standard output, written in large pieces.
///
/// Where the reader has gone away (`webarc ls | head`), the process ends without a word.
package final class StandardOutput: Sendable {
    package static let shared = StandardOutput()

    private let buffer = Mutex<[UInt8]>([])
    private static let limit = 1 << 16

    package static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes a line. Text from an archive must already be printable.
    package func line(_ text: String) throws(ArchiveError) {
        try write(Array(text.utf8) + [0x0A])
    }

    /// Writes bytes unchanged.
    package func write(_ bytes: [UInt8]) throws(ArchiveError) {
        try bytes.withBytes { (bytes) throws(ArchiveError) in try write(bytes) }
    }

    /// Writes bytes unchanged.
    package func write(_ data: Data) throws(ArchiveError) {
        var rest = data[...]
        while !rest.isEmpty {
            try write(Array(rest.prefix(Self.limit)))
            rest = rest.dropFirst(Self.limit)
        }
    }

    /// Writes bytes unchanged.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        let isFull = buffer.withLock { buffer in
            buffer.append(contentsOf: bytes)
            return buffer.count >= Self.limit
        }
        if isFull { try flush() }
    }

    package func flush() throws(ArchiveError) {
        let result = buffer.withLock { buffer -> Errno? in
            defer { buffer.removeAll(keepingCapacity: true) }
            do {
                try FileDescriptor.standardOutput.writeAll(buffer)
                return nil
            } catch {
                return error as? Errno ?? .ioError
            }
        }
        guard let result else { return }
        // SIGPIPE has ended the process before this, unless the parent disabled it.
        if result == .brokenPipe { _exit(128 + SIGPIPE) }
        throw ArchiveError(.io, "cannot write", path: "standard output", cause: result)
    }
}
