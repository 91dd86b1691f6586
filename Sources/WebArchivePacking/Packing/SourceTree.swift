// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The files to pack, each with its media type.
struct SourceTree: Sendable {
    /// The files of all sources, source by source, in the order in which they are packed.
    let files: [SourceFile]
    /// For each file the number of its media type.
    let types: [Int]
    /// The media types by number.
    let mediaTypes: [MediaType]

    /// A media type, with the properties that decide how its files are stored.
    struct MediaType: Sendable {
        /// The type in lower case, without parameters.
        let name: String
        /// Whether the type has a charset parameter.
        let isText: Bool
        /// Whether files of this type are similar enough for dictionaries and shared blocks.
        let isCompressible: Bool
    }

    /// Assigns the media types by the names, so no file is opened. All files with one extension have the type of the first of them.
    init(_ walker: SourceWalker) {
        files = walker.files
        var numbers: [String: Int] = [:]
        var byExtension: [[UInt8]: Int] = [:]
        var mediaTypes: [MediaType] = []
        types = walker.files.map { file in
            let name = file.name
            // A leading dot begins no extension.
            let key = name.dropFirst().lastIndex(of: UInt8(ascii: ".")).map { Array(name[$0...]) } ?? []
            if let known = byExtension[key] { return known }
            let type = MediaTypes.type(ofPath: Array(name))
            let number = numbers[type] ?? mediaTypes.count
            if number == mediaTypes.count {
                mediaTypes.append(MediaType(type))
                numbers[type] = number
            }
            byExtension[key] = number
            return number
        }
        self.mediaTypes = mediaTypes
    }

    func type(_ file: Int) -> MediaType { mediaTypes[types[file]] }

    /// Opens a file; see ``OpenSourceFile``.
    func open(_ file: Int) throws(ArchiveError) -> OpenSourceFile { try OpenSourceFile(files[file]) }

    /// Reads the first bytes of a file.
    func head(_ file: Int, _ length: Int) throws(ArchiveError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: min(length, Int(clamping: files[file].length)))
        let open = try open(file)
        try bytes.withMutableBytes { (buffer) throws(ArchiveError) in try open.read(at: 0, into: buffer) }
        try open.checkUnchanged()
        return bytes
    }
}

extension SourceTree.MediaType {
    init(_ name: String) {
        self.name = name
        isText = MediaTypes.isText(name)
        isCompressible = MediaTypes.isCompressible(name)
    }
}
