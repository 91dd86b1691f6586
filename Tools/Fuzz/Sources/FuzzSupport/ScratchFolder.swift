// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A folder in memory for the files of a run.
public enum ScratchFolder {
    /// The path, which is made when it is asked for first.
    public static let path: FilePath = {
        var name = Array("/dev/shm/webarc-fuzz-XXXXXX".utf8CString)
        expect(mkdtemp(&name) != nil, "no folder in /dev/shm")
        return FilePath(String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    }()

    /// Writes a file anew, and gives its path.
    public static func write(_ name: String, _ bytes: [UInt8]) -> FilePath {
        let file = path.appending(name)
        do {
            let target = try FileDescriptor.open(
                file, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
            try target.closeAfter { _ = try target.writeAll(bytes) }
        } catch {
            expect(false, "cannot write \(file): \(error)")
        }
        return file
    }

    /// Reads a file; nil if there is none.
    public static func read(_ name: String) -> [UInt8]? {
        guard let file = try? FileDescriptor.open(path.appending(name), .readOnly) else { return nil }
        return try? file.closeAfter {
            let length = Int(try file.seek(offset: 0, from: .end))
            return try [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
                count = try file.read(fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
    }

    /// Removes a file, if it is there.
    public static func remove(_ name: String) { unlink(path.appending(name).string) }

    /// The names of the files.
    public static var names: Set<String> { names(in: ".") }

    /// The names of the files in a folder of this one.
    public static func names(in folder: String) -> Set<String> {
        guard let folder = opendir(path.appending(folder).string) else { return [] }
        defer { closedir(folder) }
        var names: Set<String> = []
        while let entry = readdir(folder) {
            names.insert(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.subtracting([".", ".."])
    }
}
