// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The memory of processes, as Linux tells it in `/proc`.
enum ProcessMemory {
    /// The memory that the processes of a group share with nobody, in bytes; nil where the system does not tell.
    static func ofGroup(_ group: pid_t) -> Int? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc") else { return nil }
        var pages = 0
        for name in names where name.first?.isNumber == true {
            // A process may end between the two. The name in `stat` may have blanks, and ends with the last parenthesis.
            guard let status = text("/proc/\(name)/stat"), let end = status.lastIndex(of: ")"),
                status[end...].split(separator: " ").dropFirst(3).first.flatMap({ pid_t($0) }) == group,
                let counts = text("/proc/\(name)/statm")?.split(separator: " ").compactMap({ Int($0) }),
                counts.count > 2
            else { continue }
            pages += max(0, counts[1] - counts[2])
        }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    private static func text(_ path: String) -> String? {
        // Files of /proc have no length: read to their end.
        guard let handle = FileHandle(forReadingAtPath: path), let data = try? handle.readToEnd() else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}
