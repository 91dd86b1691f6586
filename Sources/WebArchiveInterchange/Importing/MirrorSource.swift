// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// A folder that `wget --mirror` or HTTrack made as a source of an import.
///
/// Such a folder has neither fields nor URLs: each file becomes a GET with status 200 at a URL that its path suggests. The path itself is an alias,
/// for these programs can convert links such that they lead to files.
struct MirrorSource: ImportSource {
    let hasRecords = false
    private let path: FilePath

    init(_ path: FilePath) { self.path = path }

    func add(to run: ImportRun) throws(ArchiveError) {
        let mirror = try Mirror(path, run.output)
        try mirror.add()
    }
}

/// The import of one mirror.
private final class Mirror {
    private let path: FilePath
    private let output: ImportOutput
    private let list: HTTrackList
    private let isOfHTTrack: Bool
    /// The URLs that are taken, by their MD5.
    private var taken: Set<ContentDigest> = []
    private var fileCount = 0

    /// The ending of a file as it was received, of which wget has changed the links in another one.
    private static let original = Array(".orig".utf8)
    private static let endings = [Array(".html".utf8), Array(".css".utf8)]
    /// The number of bytes at the start and at the end in which a page may have its URL, by HTTrack.
    private static let excerptLength: UInt64 = 16 << 10

    init(_ path: FilePath, _ output: ImportOutput) throws(ArchiveError) {
        (self.path, self.output) = (path, output)
        list = try HTTrackList(of: path)
        isOfHTTrack = FileStatus(of: path.appending("hts-cache"), followsLinks: false)?.kind == .folder
    }

    func add() throws(ArchiveError) {
        let walk = FolderWalk(path)
        try walk.forEachFile(add)
        output.summary.skippedFiles += walk.skippedCount
        guard fileCount > 0 else {
            throw ArchiveError(
                .notAnArchive, "the folder has no folders of hosts with files, as wget --mirror and HTTrack make them",
                path: path.string)
        }
    }

    private func add(_ file: FolderWalk.File) throws(ArchiveError) {
        let site = MirrorSite(file.path, scheme: output.options.assumedScheme, isOfHTTrack: isOfHTTrack)
        guard let site, !isOriginal(file) else { return }
        // The ending that wget added is missing in the name of the original.
        let ending = Self.endings.first { ending in
            file.name.suffix(ending.count) == ending[...]
                && file.hasSibling(file.name.dropLast(ending.count) + Self.original)
        }
        let received =
            ending.map { file.name.dropLast($0.count) + Self.original } ?? file.name + Self.original
        guard let body = try file.content(of: file.hasSibling(received) ? received : file.name) else { return }
        output.progress.bytes += body.length
        output.budget.readLength = output.budget.readLength.addingSaturated(body.length)
        var urls = site.urls(file.path)
        if let ending {
            let name = Array(file.name.dropLast(ending.count))
            urls = site.urls(file.path.dropLast() + [name]) + urls
        }
        try add(file, body, urls, site)
    }

    /// Returns the URL that HTTrack noted in a page; nil for none.
    private func noted(in excerpts: [[UInt8]], _ site: MirrorSite, _ guesses: [String]) -> String? {
        for guess in guesses {
            for excerpt in excerpts {
                if let url = MirroredPage.url(in: excerpt, of: site, named: guess) { return url }
            }
        }
        return nil
    }

    /// Returns whether a file is the original of another one.
    private func isOriginal(_ file: FolderWalk.File) -> Bool {
        guard file.name.count > Self.original.count, file.name.suffix(Self.original.count) == Self.original[...] else {
            return false
        }
        let name = Array(file.name.dropLast(Self.original.count))
        return file.hasSibling(name) || Self.endings.contains { file.hasSibling(name + $0) }
    }

    private func add(
        _ file: FolderWalk.File, _ body: SpooledBody, _ guesses: [String], _ site: MirrorSite
    ) throws(ArchiveError) {
        let start = try body.bytes(in: 0..<min(body.length, Self.excerptLength))
        let end = try body.bytes(in: body.length.subtractingSaturated(Self.excerptLength)..<body.length)
        let listed = list.file(Array(file.path[(site.folderCount - 1)...]))
        let told = listed?.url ?? (isOfHTTrack ? noted(in: [start, end], site, guesses) : nil)
        var (urls, first) = ([CanonicalURL](), String?.none)
        for text in [told].compactMap({ $0 }) + guesses {
            guard let url = try? CanonicalURL(text) else { continue }
            first = first ?? text
            if taken.insert(ContentDigest(hashing: url.bytes)).inserted {
                if urls.isEmpty { first = text }
                urls.append(url)
            }
        }
        guard let first else { return }
        let type = listed?.mediaType ?? MirroredPage.mediaType(ofName: file.name, start)
        let time = ArchiveTime(nanoseconds: file.status.identity.modified)
        var response = ArchiveResponse(headers: ["Content-Type": type], modified: time)
        response.isDerived = true
        let entry = try output.add(
            ImportedExchange(request: ArchiveRequest(url: first), response: response, body: body, time: time))
        for url in urls.dropFirst() { try output.target.addAlias(url, of: entry) }
        fileCount += 1
        if listed == nil { output.summary.guessedURLs += 1 }
    }
}
