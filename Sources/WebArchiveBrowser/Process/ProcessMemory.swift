// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import WebArchive

/// The memory of processes, as Linux reports it in `/proc`.
enum ProcessMemory {
    /// Returns the memory of the processes of a group, in bytes; nil if the system does not report it. Memory that some of them share, such
    /// as bitmaps, counts once.
    ///
    /// - Parameter data: the folder, without symbolic links, whose files count if they were deleted and are still open; nil for none.
    static func ofGroup(_ group: pid_t, data: FilePath?) -> Int? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc") else { return nil }
        var length = 0
        var mappedLength = 0
        var files: [FileNumber: UInt64] = [:]
        for name in names where name.first?.isNumber == true {
            // A process may end between the two. The name in `stat` may have blanks, and ends with the last parenthesis.
            guard let status = text("/proc/\(name)/stat"), let end = status.lastIndex(of: ")"),
                status[end...].split(separator: " ").dropFirst(3).first.flatMap({ pid_t($0) }) == group
            else { continue }
            if let proportional = proportionalLengths(name) {
                length += proportional.all
                mappedLength += proportional.shared
            } else {
                length += privateLength(name) ?? 0
            }
            addHeldFiles(of: name, data: data, to: &files)
        }
        // Messages that wait for their reader are not mapped.
        let heldLength = files.values.reduce(UInt64(0)) { $0.addingSaturated($1) }
        return length + max(0, Int(clamping: heldLength) - mappedLength)
    }

    /// Returns the pages of a process, and those of them that are shared memory; pages of several processes are divided by their number. Nil
    /// if only root can read them.
    private static func proportionalLengths(_ process: String) -> (all: Int, shared: Int)? {
        guard let lines = text("/proc/\(process)/smaps_rollup")?.split(separator: "\n") else { return nil }
        // "Pss:       1234 kB"
        func length(_ name: String) -> Int? {
            lines.first { $0.hasPrefix(name) }?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map {
                $0 << 10
            }
        }
        return length("Pss:").map { ($0, length("Pss_Shmem:") ?? 0) }
    }

    /// Adds the files of shared memory that a process has open, and files without a name: no quota of the browser counts those that a page has deleted.
    private static func addHeldFiles(of process: String, data: FilePath?, to files: inout [FileNumber: UInt64]) {
        let folder = "/proc/\(process)/fd"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let path = "\(folder)/\(name)"
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
                target.hasPrefix("/memfd:") || target.hasPrefix("/dev/shm/")
                    || isDeleted(target, path, data: data),
                let status = FileStatus(of: FilePath(path)), status.isRegular
            else { continue }
            files[status.number] = status.allocatedLength
        }
    }

    /// Returns whether a file without a name is of the data, or a process may write to it. Libraries of a browser that was upgraded are neither.
    private static func isDeleted(_ target: String, _ path: String, data: FilePath?) -> Bool {
        guard target.hasSuffix(" (deleted)") else { return false }
        return data.map { FilePath(target).starts(with: $0) } == true
            || FileStatus(of: FilePath(path), followsLinks: false)?.permissions.contains(.ownerWrite) == true
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
