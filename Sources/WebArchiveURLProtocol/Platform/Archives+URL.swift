// SPDX-License-Identifier: Apache-2.0

public import Foundation
import SystemPackage
public import WebArchive
public import WebArchiveCaching

extension URL {
    /// The path of a file URL.
    ///
    /// - Throws: `invalidArgument` for other URLs.
    func filePath() throws(ArchiveError) -> FilePath {
        guard isFileURL else { throw ArchiveError(.invalidArgument, "\(absoluteString) is not a file URL") }
        return FilePath(path)
    }
}

extension ArchiveReader {
    /// Opens the archive at a file URL; see ``ArchiveReader``.
    ///
    /// - Parameters:
    ///   - url: a URL with the scheme `file`.
    ///   - access: by position, or mapped.
    ///   - trust: the keys that must have signed what is read; nil, the default, to read without keys.
    /// - Throws: `invalidArgument` for other URLs; `untrusted`, `notAnArchive`, `unsupportedVersion`, `unsupportedFeature`, `truncated`,
    ///   `damaged` or `io`.
    public convenience init(
        url: URL, access: FileByteSource.Access = .positional, trust: ArchiveTrust? = nil
    ) throws(ArchiveError) {
        try self.init(path: url.filePath(), access: access, trust: trust)
    }
}

extension ArchiveWriter {
    /// Starts a new archive at a file URL; see ``ArchiveWriter``.
    ///
    /// - Parameters:
    ///   - url: a URL with the scheme `file`.
    ///   - options: those of `webarc pack` by default.
    /// - Throws: `invalidArgument` for other URLs; `locked`, `alreadyExists` if a file of that name is no archive, or `io`.
    public convenience init(creating url: URL, options: Options = Options()) throws(ArchiveError) {
        try self.init(creating: url.filePath(), options: options)
    }

    /// Starts a new commit of the archive at a file URL; see ``ArchiveWriter``.
    ///
    /// - Parameters:
    ///   - url: a URL with the scheme `file`.
    ///   - options: the level counts; the archive keeps its block length.
    /// - Throws: `invalidArgument` for other URLs; `limitExceeded` for more than 1,024 commits; `locked`, `damaged` or `io`.
    public convenience init(appendingTo url: URL, options: Options = Options()) throws(ArchiveError) {
        try self.init(appendingTo: url.filePath(), options: options)
    }
}

extension RecordingArchive {
    /// Opens the archive at a file URL for recording, or makes it with the first commit; see ``RecordingArchive``.
    ///
    /// - Parameters:
    ///   - url: a URL with the scheme `file`.
    ///   - options: the default options by default.
    /// - Throws: `invalidArgument` for other URLs; `notAnArchive`, `unsupportedVersion`, `unsupportedFeature`, `truncated`, `damaged` or
    ///   `io`.
    public convenience init(url: URL, options: Options = Options()) throws(ArchiveError) {
        try self.init(path: url.filePath(), options: options)
    }
}

extension RequestRule {
    /// Responds with the content of the file at a file URL. The file is opened for each request; the extension of its name gives the media
    /// type.
    ///
    /// - Parameters:
    ///   - url: a URL with the scheme `file`.
    ///   - condition: the requests that it answers.
    /// - Precondition: `url` is a file URL.
    public static func respond(withFile url: URL, when condition: RequestCondition) -> RequestRule {
        precondition(url.isFileURL, "\(url) is not a file URL")
        return respond(withFile: FilePath(url.path), when: condition)
    }
}
