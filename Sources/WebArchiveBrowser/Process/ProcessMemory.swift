// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The memory of processes, as Linux tells it in `/proc`.
enum ProcessMemory {
    /// The memory of the processes of a group, in bytes; nil where the system does not tell. Memory that some of them share, such as bitmaps,
    /// counts once.
    static func ofGroup(_ group: pid_t) -> Int? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc") else { return nil }
        var length = 0
        for name in names where name.first?.isNumber == true {
            // A process may end between the two. The name in `stat` may have blanks, and ends with the last parenthesis.
            guard let status = text("/proc/\(name)/stat"), let end = status.lastIndex(of: ")"),
                status[end...].split(separator: " ").dropFirst(3).first.flatMap({ pid_t($0) }) == group,
                let count = proportionalLength(name) ?? privateLength(name)
            else { continue }
            length += count
        }
        return length
    }

    /// The pages of a process, those that it shares divided by the number of processes that have them; nil where only root is told.
    private static func proportionalLength(_ process: String) -> Int? {
        // "Pss:       1234 kB"
        guard
            let line = text("/proc/\(process)/smaps_rollup")?.split(separator: "\n").first(where: {
                $0.hasPrefix("Pss:")
            }),
            let count = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return count << 10
    }

    private static func privateLength(_ process: String) -> Int? {
        guard let counts = text("/proc/\(process)/statm")?.split(separator: " ").compactMap({ Int($0) }),
            counts.count > 2
        else { return nil }
        return max(0, counts[1] - counts[2]) * sysconf(Int32(_SC_PAGESIZE))
    }

    private static func text(_ path: String) -> String? {
        // Files of /proc have no length: read to their end.
        guard let handle = FileHandle(forReadingAtPath: path), let data = try? handle.readToEnd() else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}
