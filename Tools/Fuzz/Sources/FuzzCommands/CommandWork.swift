// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HTTPTypes
import SystemPackage

@testable import WebArchive
@testable import WebArchivePacking
@testable import WebArchivePresentation
@testable import WebArchiveReplay
@testable import WebArchiveServer

/// The work of a command with an archive, without its output.
enum CommandWork: String, CaseIterable {
    case info, list, unpack, compact, explorer, matching

    func run(_ archive: ArchiveReader, _ bytes: [UInt8]) throws {
        switch self {
        case .info: try info(archive)
        case .list: try list(archive)
        case .unpack: try unpack(archive)
        case .compact: try compact(bytes)
        case .explorer: try explore(archive)
        case .matching: try match(archive)
        }
    }

    private func info(_ archive: ArchiveReader) throws {
        let statistics = try ArchiveStatistics(archive, depth: 2) { _ in }
        expect(statistics.otherLength <= statistics.fileLength, "more bytes than the file has")
        _ = try archive.metadata()
    }

    /// Each form of the list on its own, as each is a run of the command.
    private func list(_ archive: ArchiveReader) throws {
        var length = 0
        try archive.limitedToOnePass().forEachEntry { entry throws(ArchiveError) in
            length += try entry.url.utf8.count
            return true
        }
        try archive.limitedToOnePass().forEachEntry { entry throws(ArchiveError) in
            length += try entry.outline?.mediaType?.utf8.count ?? 0
            length += try entry.redirectTarget?.utf8.count ?? 0
            return true
        }
        try archive.limitedToOnePass().forEachEntry { entry throws(ArchiveError) in
            length += try EntryDescription(entry).json.line.utf8.count
            return true
        }
        expect(length >= 0, "a negative length")
    }

    // MARK: - Files

    /// The places of the files are of no account here: what is planned is written nowhere.
    private func unpack(_ archive: ArchiveReader) throws {
        let plan = try UnpackingPlan(archive, ArchiveUnpacker.Options())
        for file in plan.files {
            let names = file.path.split(separator: UInt8(ascii: "/")).map(Array.init)
            expect(names.count <= UnpackingPlan.maximumDepth + 2, "a file \(names.count) folders deep")
            expect(names.allSatisfy(FileNameRules.isLegal), "a name that leads elsewhere")
        }
    }

    private func compact(_ bytes: [UInt8]) throws {
        let source = ScratchFolder.write("in.webarc", bytes)
        ScratchFolder.remove("out.webarc")
        let target = ScratchFolder.path.appending("out.webarc")
        let summary = try ArchiveCompactor(source, into: target).run()
        let compacted = try ArchiveReader(path: target)
        expect(compacted.entryCount == summary.entries, "\(compacted.entryCount) entries, told as \(summary.entries)")
        expect(compacted.commitCount == 1, "a compacted archive of several commits")
    }

    // MARK: - Serving

    private func explore(_ archive: ArchiveReader) throws {
        let site = try ReplaySite([archive])
        var shown = try ArchivesPage(site).page.document.utf8.count
        for query in ["", "q=k", "type=text&status=2&limit=500", "q=http://example.org/&kind=redirect"] {
            let search = EntrySearch(QueryFields(query))
            let list = EntryListPage(
                search: search, found: try search.run(site), count: archive.entryCount)
            shown += list.page.document.utf8.count + list.json.line.utf8.count
        }
        for entry in try firstEntries(archive, 3) {
            let limited = entry.limited(to: DecodingBudget(for: "a page", bytes: 4 << 20))
            let page = try EntryPage(EntryID(layer: 0, entry), limited, in: site)
            shown += try page.page.document.utf8.count + page.json.line.utf8.count
        }
        let survey = SpacePage(survey: try SpaceSurvey(site, prefix: ""))
        shown += survey.page.document.utf8.count + survey.json.line.utf8.count
        expect(shown > 0, "nothing was shown")
    }

    private func match(_ archive: ArchiveReader) throws {
        let responder = ReplayResponder(try ReplaySite([archive]), cacheCapacity: 1 << 20)
        for entry in try firstEntries(archive, 2) {
            let key = try entry.key
            for url in [key, key + "?v=1", key + "/x"] {
                for method in [HTTPRequest.Method.get, .head, .post] {
                    let response = responder.respond(
                        to: ReplayRequest(method: method, url, headerFields: [.acceptLanguage: "de, en"]))
                    // The format has codes from 100 on; interim ones are no response of their own.
                    expect((200..<1000).contains(response.head.status.code), "status \(response.head.status)")
                }
            }
        }
    }

    private func firstEntries(_ archive: ArchiveReader, _ count: Int) throws(ArchiveError) -> [ArchiveEntry] {
        var entries: [ArchiveEntry] = []
        try archive.forEachEntry { entry throws(ArchiveError) in
            entries.append(entry)
            return entries.count < count
        }
        return entries
    }
}
