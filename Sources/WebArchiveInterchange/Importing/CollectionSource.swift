// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive
import WebArchivePresentation

/// A collection of WACZ files as a source of an import.
///
/// Parts in the collection's own file and beside it are imported. Others are noted as damage: nothing is loaded from the net.
struct CollectionSource: ImportSource {
    let hasRecords = true
    private let collection: WACZCollection
    /// The ZIP file with the description; nil for a description that is a file by itself.
    private let file: WACZFile?
    private let json: JSONValue?
    /// The file, for errors.
    private let name: String
    /// The folder of the file; nil for standard input.
    private let folder: FilePath?
    /// The WACZ files in the file, by the bytes of their names.
    private let members: [[UInt8]: ZIPMember]
    /// The names of several members.
    private let repeatedNames: [String]

    /// Creates the source of a ZIP file.
    ///
    /// - Parameter folder: the folder of the file; nil for standard input.
    init(_ file: WACZFile, in folder: FilePath?) throws(ArchiveError) {
        (self.file, json, name, self.folder) = (file, file.json, file.zip.source.name, folder)
        let parts = file.zip.members.filter { WACZCollection.isPart($0.name) }
        var (members, repeatedNames) = ([[UInt8]: ZIPMember](), [String]())
        for part in parts where members.updateValue(part, forKey: Array(part.name.utf8)) != nil {
            repeatedNames.append(part.name)
        }
        (self.members, self.repeatedNames) = (members, repeatedNames)
        collection = try WACZCollection(json, members: parts)
    }

    /// Creates the source of a description that is a file by itself.
    ///
    /// - Parameter folder: the folder of the file; nil for standard input.
    init(_ json: JSONValue, name: String, in folder: FilePath?) throws(ArchiveError) {
        (file, self.json, self.name, self.folder, members, repeatedNames) = (nil, json, name, folder, [:], [])
        collection = try WACZCollection(json)
    }

    /// Returns the files of parts beside a collection, as far as they are there; none for another file, and for one that cannot be read.
    static func files(besideCollectionAt path: FilePath) -> [FilePath] {
        guard path != "-", FileStatus(of: path)?.isRegular == true,
            let source = try? SourceFormat.source(at: path) as? CollectionSource
        else { return [] }
        return source.files
    }

    private var files: [FilePath] {
        guard let folder else { return [] }
        return collection.parts.filter { members[Array($0.path.utf8)] == nil }.compactMap { $0.file(in: folder) }.filter
        {
            FileStatus(of: $0)?.isRegular == true
        }
    }

    func add(to run: ImportRun) throws(ArchiveError) {
        // The description, the list of pages and the records of the whole before those of its parts.
        if let file { try WACZSource(file).add(to: run) } else { try WACZDescription(json).set(in: run) }
        for name in repeatedNames {
            try run.output.note(
                ArchiveError(
                    .damaged, "several members have this name, and only the last is imported", path: path(of: name)))
        }
        for name in file == nil ? collection.others : [] {
            try run.output.note(
                ArchiveError(.unsupportedFeature, "not a WACZ file, and not imported", path: path(of: name)))
        }
        for part in collection.parts {
            do throws(ArchiveError) {
                try add(part, to: run)
            } catch {
                guard error.isOfOneSource || error.code == .unsupportedFeature else { throw error }
                try run.output.note(error.path == nil ? error.at(path: path(of: part.path)) : error)
                run.records.isComplete = false
            }
        }
    }

    /// Returns the name of a part for errors.
    private func path(of part: String) -> String { "\(name)!\(String(decoding: part.utf8.prefix(256), as: UTF8.self))" }

    private func add(_ part: WACZCollection.Part, to run: ImportRun) throws(ArchiveError) {
        if let member = members[Array(part.path.utf8)], let zip = file?.zip {
            let name = path(of: part.path)
            let budget = run.output.budget
            let before = budget.readLength
            try check(zip.open(member, name: name), part) { read, decoded throws(ArchiveError) in
                budget.readLength = before + read
                try budget.decode(decoded)
            } damaged: { error throws(ArchiveError) in
                try run.output.note(error)
            }
            budget.readsDecoded = true
            defer { budget.readsDecoded = false }
            return try run.add(source(zip.source(of: member, name: name)), at: FilePath(name))
        }
        guard !part.isRemote else {
            throw ArchiveError(
                .unsupportedFeature,
                "a part that is in the net, which is not loaded; download it, and import it as well",
                path: path(of: part.path))
        }
        guard let path = folder.flatMap({ part.file(in: $0) }), FileStatus(of: path)?.isRegular == true else {
            throw ArchiveError(
                .damaged, "a part that is neither in the file nor beside it", path: self.path(of: part.path))
        }
        if part.digest != nil {
            try check(FileInput(path: path), part) { _, _ in
            } damaged: { error throws(ArchiveError) in
                try run.output.note(error)
            }
        }
        try run.add(source(FileByteSource(path: path)), at: path)
    }

    /// Opens a part.
    ///
    /// - Throws: `unsupportedFeature` for a collection: a small file could contain any number of them.
    private func source(_ source: any ByteSource) throws(ArchiveError) -> WACZSource {
        let file = try WACZFile(ZIPFile(source))
        guard !file.isCollection else {
            throw ArchiveError(
                .unsupportedFeature, "a part that is itself a collection; import it by itself", path: source.name)
        }
        return WACZSource(file)
    }

    /// Reads a part once, and compares its digests.
    ///
    /// - Parameters:
    ///   - charge: a function that is called with the number of bytes of the file so far, and that of decoded bytes each time.
    ///   - damaged: a function that is called with the fault: the part may be readable all the same.
    private func check(
        _ input: any ByteInput, _ part: WACZCollection.Part, charge: (UInt64, Int) throws(ArchiveError) -> Void,
        damaged: (ArchiveError) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let input = part.digest.map { DigestedInput(input, expected: $0) } ?? input
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var isAtEnd = false
        while !isAtEnd {
            do throws(ArchiveError) {
                let count = try buffer.withMutableBytes { (buffer) throws(ArchiveError) in try input.read(into: buffer)
                }
                isAtEnd = count == 0
                try charge(input.readLength, count)
            } catch {
                guard [.damaged, .truncated].contains(error.code) else { throw error }
                try damaged(error)
                isAtEnd = true
            }
        }
    }
}
