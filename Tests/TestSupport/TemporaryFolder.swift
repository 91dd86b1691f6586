// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import SystemPackage

/// A folder that exists for one test and is removed after it.
public final class TemporaryFolder: Sendable {
    public let url: URL

    public init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("webarc-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of a file in the folder.
    public func path(_ name: String) -> FilePath { FilePath(url.appendingPathComponent(name).path) }

    /// Writes a file that its owner may change and all may read for any mask of the user, with the folders that it needs.
    @discardableResult
    public func write(_ name: String, _ contents: some Sequence<UInt8>) throws -> FilePath {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(contents).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        return FilePath(file.path)
    }

    /// Returns the permissions that new files do not get, without the call that changes them for all threads.
    public func mask() throws -> Int {
        let path = path(UUID().uuidString)
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: FilePermissions(rawValue: 0o777))
        try file.close()
        let attributes = try FileManager.default.attributesOfItem(atPath: path.string)
        try FileManager.default.removeItem(atPath: path.string)
        return 0o777 & ~(attributes[.posixPermissions] as? Int ?? 0)
    }

    /// The bytes of a file in the folder.
    public func read(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: url.appendingPathComponent(name))) }
}
