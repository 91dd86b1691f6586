// SPDX-License-Identifier: Apache-2.0

public import Foundation
import SystemPackage
public import WebArchive
public import WebArchiveCaching

extension ArchiveReader {
    /// Opens the archive at a file URL; see ``ArchiveReader``.
    ///
    /// - Parameters:
    ///   - url: a URL of a file on this computer.
    ///   - access: the access, by position or mapped.
    ///   - trust: the keys that must have signed the data; nil, the default, to read without keys.
    /// - Throws: `invalidArgument` for other URLs; `untrusted`, `notAnArchive`, `unsupportedVersion`, `unsupportedFeature`, `truncated`,
    ///   `damaged` or `io`.
    public convenience init(
        url: URL, access: FileByteSource.Access = .positional, trust: ArchiveTrust? = nil
    ) throws(ArchiveError) {
        try self.init(path: FilePath(fileURL: url), access: access, trust: trust)
    }
}

extension ArchiveWriter {
    /// Starts a new archive at a file URL; see ``ArchiveWriter``.
    ///
    /// - Parameters:
    ///   - url: a URL of a file on this computer.
    ///   - options: the options of `webarc pack` by default.
    /// - Throws: `invalidArgument` for other URLs; `locked`, `alreadyExists` if a file of that name is not an archive, or `io`.
    public convenience init(creating url: URL, options: Options = Options()) throws(ArchiveError) {
        try self.init(creating: FilePath(fileURL: url), options: options)
    }

    /// Starts a new commit of the archive at a file URL; see ``ArchiveWriter``.
    ///
    /// - Parameters:
    ///   - url: a URL of a file on this computer.
    ///   - options: the level counts; the archive keeps its block length.
    /// - Throws: `invalidArgument` for other URLs; `limitExceeded` for more than 1,024 commits; `locked`, `damaged` or `io`.
    public convenience init(appendingTo url: URL, options: Options = Options()) throws(ArchiveError) {
        try self.init(appendingTo: FilePath(fileURL: url), options: options)
    }
}

extension RecordingArchive {
    /// Opens the archive at a file URL for recording, or creates it with the first commit; see ``RecordingArchive``.
    ///
    /// - Parameters:
    ///   - url: a URL of a file on this computer.
    ///   - options: the default options by default.
    /// - Throws: `invalidArgument` for other URLs; `notAnArchive`, `unsupportedVersion`, `unsupportedFeature`, `truncated`, `damaged` or
    ///   `io`.
    public convenience init(url: URL, options: Options = Options()) throws(ArchiveError) {
        try self.init(path: FilePath(fileURL: url), options: options)
    }
}

extension RequestRule {
    /// Responds with the content of the file at a file URL. The file is opened for each request; the extension of its name determines the media
    /// type.
    ///
    /// - Parameters:
    ///   - url: a URL of a file on this computer.
    ///   - condition: the requests that it responds to.
    /// - Precondition: `FilePath(fileURL:)` takes the URL.
    public static func respond(withFile url: URL, when condition: RequestCondition) -> RequestRule {
        guard let path = try? FilePath(fileURL: url) else {
            preconditionFailure("\(url) is not the URL of a local file")
        }
        return respond(withFile: path, when: condition)
    }
}
