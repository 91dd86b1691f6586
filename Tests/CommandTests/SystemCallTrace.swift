// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport

/// The system calls of a program, as strace reports them.
enum SystemCallTrace {
    enum Call: Equatable {
        /// So many bytes to a file, named without its folder.
        case write(String, Int, at: Int)
        case synchronise(String)
        case rename
    }

    /// Containers may have strace and not allow it.
    static let isAvailable = (try? ExternalTool.run(["strace", "-o", "/dev/null", "true"]))?.status == 0

    /// The writes at a place, the `fsync`s and renames of a program that must succeed, in their order.
    static func of(_ command: [String], in folder: TemporaryFolder) throws -> [Call] {
        let log = folder.path("calls.strace").string
        let trace = ["strace", "-f", "-y", "-s", "0", "-e", "trace=pwrite64,fsync,fdatasync,rename,renameat,renameat2"]
        let result = try ExternalTool.run(trace + ["-o", log] + command, in: folder.url)
        guard result.status == 0 else { throw Failed(text: result.errorText) }
        return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").compactMap { line in
            // A thread's number, and a call: `pwrite64(9</folder/a.webarc>, ""..., 32, 64) = 32`.
            if let call = line.firstMatch(of: /^\d+ +pwrite64\(\d+<.*?([^\/]*)>, ""\.*, (\d+), (\d+)/) {
                return .write(String(call.1), Int(call.2) ?? 0, at: Int(call.3) ?? 0)
            }
            if let call = line.firstMatch(of: /^\d+ +(?:fsync|fdatasync)\(\d+<.*?([^\/]*)>/) {
                return .synchronise(String(call.1))
            }
            return line.firstMatch(of: /^\d+ +rename/) == nil ? nil : .rename
        }
    }

    struct Failed: Error {
        let text: String
    }
}
