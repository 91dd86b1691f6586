// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The archive that an import finds: none, one to append to, or that of an unfinished import.
struct FormerState {
    /// The archive that is appended to, as it was before the import; nil for none.
    let archive: ArchiveReader?
    /// The archive of an unfinished import that continues; nil for none.
    private(set) var unfinished: ArchiveReader?
    /// The journal of this import; nil if it has one commit.
    private(set) var journal: ImportJournal?
    /// Whether the archive has the journal of an import.
    private(set) var hasJournal = false

    /// - Parameters:
    ///   - target: the path of the archive.
    ///   - files: all files that are read.
    init(_ target: FilePath, _ files: [FilePath], _ options: ArchiveImporter.Options) throws(ArchiveError) {
        let isReplacement = !options.appends && FileStatus(of: target) != nil
        // The writer refuses another file, or replaces it.
        let found =
            try options.appends ? ArchiveReader(path: target) : isReplacement ? try? ArchiveReader(path: target) : nil
        let inputs = options.isStrict || options.commitInterval == 0 ? nil : ImportInputs.digest(files, options)
        if let found, let inputs, let journal = try Self.journal(in: found, of: inputs, isNeeded: options.appends) {
            (unfinished, self.journal, hasJournal) = (found, journal, true)
            archive = options.appends ? try Self.beginning(of: found, length: journal.start) : nil
            return
        }
        archive = options.appends ? found : nil
        hasJournal = try archive?.metadata()[ImportJournal.stateName] != nil
        // An archive is replaced as a whole, and stays until then.
        guard let inputs, !isReplacement else { return }
        journal = ImportJournal(
            of: inputs, start: archive?.fileLength ?? 0, commitCount: archive?.commitCount ?? 0)
    }

    /// Reads the journal of an unfinished import.
    ///
    /// - Parameter isNeeded: whether an archive that cannot be read is an error.
    private static func journal(
        in archive: ArchiveReader, of inputs: ContentDigest, isNeeded: Bool
    ) throws(ArchiveError) -> ImportJournal? {
        do throws(ArchiveError) {
            return try ImportJournal(archive, of: inputs)
        } catch {
            if isNeeded { throw error }
            return nil
        }
    }

    /// Opens an archive as it was when it had fewer bytes.
    private static func beginning(of archive: ArchiveReader, length: UInt64) throws(ArchiveError) -> ArchiveReader {
        let source = StoredArchive(archive).source
        guard length <= source.length else { throw ImportJournal.changed.at(path: source.name) }
        return try ArchiveReader(source: SourceRange(source, 0..<length, name: source.name))
    }
}
