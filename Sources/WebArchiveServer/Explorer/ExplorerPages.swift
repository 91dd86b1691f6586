// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import WebArchive
import WebArchiveReplay

/// The explorer: pages about the served archives, and their JSON forms.
final class Explorer: ServerPagesSection {
    /// The surveys of space, which one request may need after another.
    private let spaces = SpaceCache()
    /// The titles of pages, which searches have read.
    private let titles = TitleCache()
    /// The secret with which the explorer's pages embed content. Other pages do not have it, and so can embed none: they would
    /// learn sizes and lengths.
    private let embeddingKey = ((0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }).joined()

    /// The document of a report of a proof; nil without one.
    private let report: [UInt8]?

    /// Creates an explorer with empty caches.
    init(report: [UInt8]? = nil) { self.report = report }

    func contains(_ path: String) -> Bool { ExplorerPage.Place(rawValue: path) != nil }

    func response(to request: ServerPageRequest) -> ReplayResponse? {
        ExplorerPage.Place(rawValue: request.path).map {
            ExplorerPages(
                request: request, spaces: spaces, titles: titles, embeddingKey: embeddingKey, report: report
            ).response($0)
        }
    }
}

/// The response to one request for the explorer.
///
/// It is made for one request, and shares the caches of the ``Explorer``.
struct ExplorerPages {
    /// The request, which has passed the checks of ``ServerPages``.
    let request: ServerPageRequest
    /// The cache of surveys, shared by all requests.
    let spaces: SpaceCache
    /// The cache of titles, shared by all requests.
    let titles: TitleCache
    /// The secret of the server's run that addresses of embedded content must have.
    let embeddingKey: String
    /// The document of a report of a proof; nil without one.
    let report: [UInt8]?

    /// The head of the request, for its fields and its method.
    private var head: HTTPRequest { request.head }
    /// Whether the response has no content (RFC 9110 section 9.3.2).
    private var isHead: Bool { request.isHead }

    /// Returns the response for a page of the explorer, after the request proved to be a person's, a program's, or an explorer page's own.
    ///
    /// All other requests get 403. A damaged archive gives 500, and the error is the outcome of a page.
    func response(_ place: ExplorerPage.Place) -> ReplayResponse {
        let metadata = FetchMetadata(head)
        let fields = QueryFields(request.query)
        let embedded: Set<String> =
            switch place {
            case .content: ["iframe", "image", "audio", "video"]
            case .preview: ["iframe"]
            default: []
            }
        let isShownByExplorer = embedded.contains(metadata.destination) && fields["key"] == embeddingKey
        guard metadata.destination == "document" || isShownByExplorer, !metadata.isOfReplayedPage else {
            return ExplorerPage(
                title: "Not for scripts", html: "<p>These pages are not available to page scripts.</p>\n"
            )
            .response(.forbidden, isHead: isHead)
        }
        do throws(ArchiveError) {
            guard let responder = request.responder else {
                return place.isData ? missing(place) : request.withoutSite ?? missing(place)
            }
            return try response(place, fields, responder)
        } catch {
            let text = "The archive cannot be read: \(error.message)"
            var response =
                place.isData
                ? data(["error": .string(text)], .internalServerError)
                : ExplorerPage(title: "Damaged", html: "<p>\(ArchivedText.html(text))</p>\n")
                    .response(.internalServerError, isHead: isHead)
            response.outcome = .failed(error)
            return response
        }
    }

    /// Returns the response for a page of a site that is open.
    ///
    /// - Throws: `damaged` or `io`, and `limitExceeded` for an entry that decodes to more than 4 MiB.
    private func response(
        _ place: ExplorerPage.Place, _ fields: QueryFields, _ responder: ReplayResponder
    ) throws(ArchiveError) -> ReplayResponse {
        let site = responder.site
        switch place {
        case .root:
            return ReplayResponse(
                HTTPResponse(
                    status: .permanentRedirect,
                    headerFields: [.location: ExplorerPage.Place.archives.rawValue, .contentLength: "0"]),
                outcome: .own)
        case .archives, .archivesData:
            var page = try ArchivesPage(site)
            page.hasReport = report != nil
            return place.isData ? data(page.json) : page.page.response(isHead: isHead)
        case .pages, .pagesData:
            let page = PagesPage(try PageList(of: site, from: fields["from"].flatMap { Int($0) } ?? 0))
            return place.isData ? data(page.json) : page.page.response(isHead: isHead)
        case .entries, .entriesData:
            let search = EntrySearch(fields)
            let list = EntryListPage(
                search: search, found: try search.run(site, titles: TitleReader(titles, responder)),
                count: search.count(in: site))
            return place.isData ? data(list.json) : list.page.response(isHead: isHead)
        case .entry, .entryData, .content, .preview:
            guard let (id, found) = try find(fields, in: site) else { return missing(place) }
            let entry = found.limited(to: DecodingBudget(for: "a page", bytes: 4 << 20))
            if place == .content { return try content(entry) ?? missing(place) }
            if place == .preview { return try preview(entry, responder) ?? missing(place) }
            let page = try EntryPage(id, entry, in: site, embeddingKey: embeddingKey)
            return place.isData ? data(try page.json) : try page.page.response(isHead: isHead)
        case .space, .spaceData:
            let survey = try survey(fields["folder"], responder)
            let page = SpacePage(survey: survey)
            return place.isData ? data(page.json) : page.page.response(isHead: isHead)
        case .misses, .missesData:
            let page = MissesPage(misses: request.misses.all)
            return place.isData ? data(page.json) : page.page.response(isHead: isHead)
        case .report:
            return report.map { ExplorerPage.response(ofReport: $0, isHead: isHead) }
                ?? ExplorerPage(
                    title: "No report", html: "<p>Give one with <code>webarc serve --report FILE</code>.</p>\n"
                ).response(.notFound, isHead: isHead)
        case .description:
            return data(ExplorerDescription.json)
        }
    }

    /// Returns the survey of a folder, or of the first one that is divided.
    ///
    /// A folder that has only one part is passed over, three times at most, so that the first page shows a division.
    ///
    /// - Parameter folder: the prefix of URLs; nil to begin at the top.
    private func survey(_ folder: String?, _ responder: ReplayResponder) throws(ArchiveError) -> SpaceSurvey {
        if let folder { return try spaces.survey(responder, prefix: folder) }
        var survey = try spaces.survey(responder, prefix: "")
        for _ in 0..<3 {
            guard survey.parts.count == 1, let only = survey.parts.first, only.prefix != survey.prefix else { break }
            survey = try spaces.survey(responder, prefix: only.prefix)
        }
        return survey
    }

    /// Finds an entry by its identifier; or by URL and method, the one that would be served first of all.
    ///
    /// - Throws: `damaged` or `io`; `limitExceeded` where the search decodes more than a request may.
    private func find(
        _ fields: QueryFields, in site: ReplaySite
    ) throws(ArchiveError) -> (id: EntryID, entry: ArchiveEntry)? {
        if let name = fields["entry"] {
            guard let id = EntryID(name), let entry = id.entry(in: site) else { return nil }
            return (id, entry)
        }
        guard let text = fields["url"], let url = try? CanonicalURL(text) else { return nil }
        let method = fields["method"] ?? "GET"
        if method == "GET", let time = fields["time"].flatMap({ Int64($0) }) {
            if let found = try nearest(url, ArchiveTime(nanoseconds: time), in: site) { return found }
        }
        for (number, layer) in site.layers.enumerated() {
            if let entry = try layer.limited(to: .forRequest()).captures(of: url, method: method).first {
                return (EntryID(layer: number, entry), entry)
            }
        }
        for found in try EntryPage.all(url, in: site) where try found.entry.outlinedMethod == method { return found }
        return nil
    }

    /// Returns the capture nearest to a time in any layer; of two at the same distance the earlier one.
    private func nearest(
        _ url: CanonicalURL, _ time: ArchiveTime?, in site: ReplaySite
    ) throws(ArchiveError) -> (id: EntryID, entry: ArchiveEntry)? {
        var best: (time: ArchiveTime?, found: (EntryID, ArchiveEntry))?
        for (number, layer) in site.layers.enumerated() {
            guard let entry = try layer.limited(to: .forRequest()).newestServed(url, at: time) else { continue }
            let own = try entry.time
            guard best.map({ ArchiveTime.isPreferred(own, to: $0.time, at: time) }) ?? true else { continue }
            best = (own, (EntryID(layer: number, entry), entry))
        }
        return best?.found
    }

    /// Returns the stored body alone; nil for an entry without one.
    private func content(_ entry: ArchiveEntry) throws(ArchiveError) -> ReplayResponse? {
        guard let body = try entry.body, let response = try entry.response else { return nil }
        return ContentPreview(mediaType: response.mediaType, charset: response.charset).response(body, to: head)
    }

    /// Returns a page with its styles and pictures; any other content, and a page that is too long for that, as `content` does.
    private func preview(
        _ entry: ArchiveEntry, _ responder: ReplayResponder
    ) throws(ArchiveError) -> ReplayResponse? {
        guard let body = try entry.body, let response = try entry.response else { return nil }
        let form = ContentPreview(mediaType: response.mediaType, charset: response.charset)
        guard form.isPage, body.length <= ContentPreview.maximumDocumentLength,
            let url = try? CanonicalURL(utf8: entry.keyBytes)
        else { return form.response(body, to: head) }
        var page = SelfContainedPage(try body.bytes(), at: url, from: responder)
        return form.response(page.bytes(), isHead: isHead)
    }

    /// Returns 404, as JSON or as a page.
    private func missing(_ place: ExplorerPage.Place) -> ReplayResponse {
        let text = "No archive has this entry."
        return place.isData
            ? data(["error": .string(text)], .notFound)
            : ExplorerPage(title: "No such entry", html: "<p>\(text)</p>\n").response(.notFound, isHead: isHead)
    }

    /// Returns a response in JSON, on one line.
    private func data(_ json: JSONValue, _ status: HTTPResponse.Status = .ok) -> ReplayResponse {
        ServerPages.text(json.line + "\n", "application/json", isHead, status: status)
    }
}

extension ExplorerPage.Place {
    /// Whether this is JSON.
    var isData: Bool { rawValue.hasPrefix("/-/api/") }
}
