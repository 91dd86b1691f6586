// SPDX-License-Identifier: Apache-2.0

import SystemPackage
package import WebArchive

/// A file that the user names, whose length has a limit.
package enum LimitedFile {
    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: the path; `-` for standard input.
    ///   - noun: the noun for the file in messages.
    ///   - maximumLength: the maximum length in bytes.
    /// - Throws: `limitExceeded` for a longer file; `io`.
    package static func bytes(
        of path: String, _ noun: String, maximumLength: Int
    ) throws(ArchiveError) -> [UInt8] {
        let isInput = path == "-"
        let name = isInput ? "standard input" : path
        var bytes: [UInt8] = []
        do {
            let file =
                isInput ? FileDescriptor.standardInput : try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
            defer { if !isInput { try? file.close() } }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while bytes.count <= maximumLength {
                let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
                guard count > 0 else { return bytes }
                bytes += buffer[..<count]
            }
        } catch {
            throw ArchiveError(.io, "cannot read the \(noun)", path: name, cause: error)
        }
        throw ArchiveError(
            .limitExceeded, "the \(noun) is longer than the limit of \(maximumLength) bytes", path: name)
    }
}
