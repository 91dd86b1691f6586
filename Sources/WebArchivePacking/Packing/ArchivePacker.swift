// SPDX-License-Identifier: Apache-2.0

public import SystemPackage
public import WebArchive

/// Packs folders and files into an archive.
public struct ArchivePacker: Sendable {
    public let sources: [FilePath]
    public let archive: FilePath
    public let options: PackingOptions

    public init(_ sources: [FilePath], into archive: FilePath, options: PackingOptions = PackingOptions()) {
        self.sources = sources
        self.archive = archive
        self.options = options
    }

    /// Packs.
    ///
    /// - Parameter progress: called now and then, from any thread.
    public func run(
        progress: (@Sendable (PackingProgress) -> Void)? = nil
    ) throws(ArchiveError) -> PackingSummary {
        throw ArchiveError(.cancelled, "being written")
    }
}
