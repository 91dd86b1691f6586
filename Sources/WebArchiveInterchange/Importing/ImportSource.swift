// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// A source of an import, in one of the formats.
protocol ImportSource {
    /// Whether the source consists of records, which can be kept as they are.
    var hasRecords: Bool { get }

    /// Adds all that the source has to a run.
    ///
    /// - Throws: `damaged`, `truncated`, `limitExceeded`, `io`; errors of the run.
    func add(to run: ImportRun) throws(ArchiveError)
}

/// A run of an importer, with all its sources.
final class ImportRun {
    /// The archive, and the counts.
    let output: ImportOutput
    /// The import of sources that consist of records.
    let records: RecordImport
    /// The names of the metadata values that the archive has.
    private var metadataNames: Set<String>

    /// - Parameter former: the archive that is appended to; nil for none.
    init(_ output: ImportOutput, former: ArchiveReader?) throws(ArchiveError) {
        self.output = output
        records = try RecordImport(output, former: former)
        metadataNames = try former.mapTyped { archive throws(ArchiveError) in try Set(archive.metadata().keys) } ?? []
        if try former?.metadataBody("icon") != nil { metadataNames.insert("icon") }
    }

    /// Adds a source.
    ///
    /// - Throws: `invalidArgument` if originals are to be kept and the source has no records; errors of the source.
    func add(_ source: some ImportSource, at path: FilePath) throws(ArchiveError) {
        if !source.hasRecords {
            guard !output.options.keepsOriginals else {
                throw ArchiveError(
                    .invalidArgument, "only WARC files can be kept such that the same file can be written again",
                    path: path.string)
            }
            records.isComplete = false
        }
        do throws(ArchiveError) {
            try source.add(to: self)
        } catch {
            throw error.path == nil ? error.at(path: path.string) : error
        }
        output.endSource()
    }

    /// Passes over a source that cannot be read, or that ends early.
    ///
    /// - Throws: the error, with ``ArchiveImporter/Options/isStrict``.
    func pass(_ error: ArchiveError, at path: FilePath) throws(ArchiveError) {
        records.isComplete = false
        output.endSource()
        try output.note(error.path == nil ? error.at(path: path.string) : error)
    }

    /// Sets a metadata value, unless the archive has it already, or it is too long to be one.
    func setMetadata(_ name: String, ifMissing value: String?) throws(ArchiveError) {
        guard let value, value.utf8.count <= Self.maximumMetadataLength, metadataNames.insert(name).inserted else {
            return
        }
        try output.target.setMetadata(name, to: value)
    }

    /// Sets a metadata value that is a body, such as an icon, unless the archive has it already.
    func setMetadata(_ name: String, ifMissing body: SpooledBody?) throws(ArchiveError) {
        guard let body, body.length > 0, metadataNames.insert(name).inserted else { return }
        try output.target.setMetadata(name, to: output.target.store(body, kind: name))
    }

    private static let maximumMetadataLength = 64 << 10

    /// Ends the import, and commits.
    func finish() throws(ArchiveError) {
        try records.finish()
        try output.target.finish()
    }
}
