// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The list of files that HTTrack writes beside a mirror, `hts-cache/new.txt`: the URL and the media type of each.
struct HTTrackList {
    /// The properties of a file in the list.
    struct File {
        let url: String
        let mediaType: String?
    }

    private var files: [ContentDigest: File] = [:]

    /// The maximum length of a line, and of all that is kept; files beyond it have guesses for URLs.
    private static let maximumLineLength = 1 << 16
    private static let maximumMemory = 256 << 20

    /// Reads the list of a mirror; an empty one if there is none.
    ///
    /// - Throws: `io`.
    init(of mirror: FilePath) throws(ArchiveError) {
        let path = mirror.appending("hts-cache").appending("new.txt")
        // A link could lead anywhere, and a pipe would be waited for.
        guard FileStatus(of: path, followsLinks: false)?.isRegular == true else { return }
        let input = BufferedInput(try FileInput(path: path))
        var memory = 0
        while memory < Self.maximumMemory {
            let window = try input.peek(Self.maximumLineLength)
            guard !window.isEmpty else { break }
            let line = window.prefix { $0 != 0x0A }
            memory += 128 + add(line)
            input.consume(min(line.count + 1, window.count))
        }
    }

    /// Returns the properties of a file; nil if the list lacks it.
    ///
    /// - Parameter path: the names of the folders from that of the host on, and that of the file.
    func file(_ path: [[UInt8]]) -> File? { files.isEmpty ? nil : files[Self.key(path[...])] }

    private static func key(_ path: ArraySlice<[UInt8]>) -> ContentDigest {
        ContentDigest(hashing: Array(path.joined(separator: [UInt8(ascii: "/")])))
    }

    /// Adds a line: time, sizes, flags, status, message, type, tag, URL, file, source. Returns the number of bytes that are kept.
    private mutating func add(_ line: ArraySlice<UInt8>) -> Int {
        let fields = line.split(separator: 0x09, omittingEmptySubsequences: false)
        guard fields.count >= 9, fields[3].elementsEqual("200".utf8), !fields[8].isEmpty,
            var url = String(validating: fields[7], as: UTF8.self)
        else { return 0 }
        if !url.contains("://") { url = "http://\(url)" }
        guard let canonical = try? CanonicalURL(url), let host = canonical.host else { return 0 }
        // The path may begin anywhere above the mirror, and has slashes on all systems.
        let names = fields[8].split(separator: UInt8(ascii: "/")).map(Array.init)
        guard let start = names.firstIndex(where: { $0.starts(with: host) && $0.count <= host.count + 6 }) else {
            return 0
        }
        let type = ContentTypeValue.parts(of: String(decoding: fields[5], as: UTF8.self)).mediaType
        files[Self.key(names[start...])] = File(url: url, mediaType: type.flatMap { $0.contains("/") ? $0 : nil })
        return url.utf8.count
    }
}
