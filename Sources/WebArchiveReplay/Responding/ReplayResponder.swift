// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import WebArchive

/// A responder that turns requests into responses, from the archives of a site and without a network. It knows neither sockets nor clock
/// nor log.
///
/// ```swift
/// let site = try ReplaySite([ArchiveReader(path: "docs.webarc")])
/// let responder = ReplayResponder(site)
/// let response = responder.respond(to: ReplayRequest("https://docs.example/guide/"))
/// print(response.head.status, response.contentLength)
/// ```
///
/// It finds the matching entry (specification section 8.5), applies redirect rules (section 8.7), conditions and ranges (RFC 9110
/// sections 13 and 14), and leaves out the fields of the recorded connection. All threads may use it at once.
public final class ReplayResponder: Sendable {
    /// The site that is replayed.
    public let site: ReplaySite
    /// The cache of responses, blocks and coded content, for the lifetime of the responder.
    let cache: ReplayCache
    /// The function that makes the server's own form of fields; nil for none.
    private let prepare: FieldPreparation?

    /// The default memory for responses: 128 MiB, in bytes.
    public static let defaultCacheCapacity = 128 << 20

    /// Creates a responder with an empty cache. It reads nothing yet.
    ///
    /// - Parameters:
    ///   - site: the site to replay.
    ///   - cacheCapacity: the estimated memory for recent responses and their decoded bodies, in bytes; 0 for none.
    public convenience init(_ site: ReplaySite, cacheCapacity: Int = defaultCacheCapacity) {
        self.init(site, cacheCapacity: cacheCapacity, prepare: nil)
    }

    /// Creates a responder for a server that sends fields in a form of its own.
    ///
    /// - Parameters:
    ///   - site: the site to replay.
    ///   - cacheCapacity: the estimated memory of the cache, in bytes; 0 for none.
    ///   - prepare: a function that makes that form of the fields of each stored response, once for as long as the response is
    ///     cached; nil for none.
    package init(_ site: ReplaySite, cacheCapacity: Int, prepare: FieldPreparation?) {
        self.site = site
        self.prepare = prepare
        cache = ReplayCache(capacity: cacheCapacity)
    }

    /// Responds to a request. A long body is read later, when its parts are sent.
    ///
    /// There is a response to any request: for a text that is not a URL 400; for a miss a page with the nearest entries and status
    /// 404, or 504 with ``ReplayRequest/Addressing/ownOrigins``; if only other methods are stored 405; for an entry that cannot be read
    /// 500, with the error as its ``ReplayResponse/outcome``.
    ///
    /// Finding a response decodes at most 32 MiB of the index (specification section 10); a repeated GET is found with one
    /// lookup in the cache. A body of up to 256 KiB is read before this returns.
    ///
    /// - Parameter request: a request whose head has a path; see ``ReplayRequest/head``.
    /// - Returns: the response, whose content may still prove to be damaged when it is read.
    public func respond(to request: ReplayRequest) -> ReplayResponse { respond(to: request, within: .forRequest()) }

    /// Responds to a request; nil if finding the response takes longer than others may wait for it.
    ///
    /// Then the caller uses ``respond(to:)`` on a thread that does not delay others.
    ///
    /// A quick request decodes at most 256 KiB of the index, and codes no long content. That takes some milliseconds at
    /// most.
    ///
    /// - Parameter request: a request, as in ``respond(to:)``.
    package func respondQuickly(to request: ReplayRequest) -> ReplayResponse? {
        let budget = DecodingBudget.forQuickRequest()
        let response = respond(to: request, within: budget)
        return budget.isUsedUp ? nil : response
    }

    /// Responds to a request within a budget. An error becomes a page with status 500, and the URL and the cache are
    /// noted in the response.
    private func respond(to request: ReplayRequest, within budget: DecodingBudget) -> ReplayResponse {
        guard let url = url(request) else {
            return notice(request, .badRequest, .requestTitle, .requestText, .own)
        }
        guard let request = request.withTime(site.time) else { return .invalidDatetime(url, request) }
        do throws(ArchiveError) {
            var response = try respond(to: request, url, budget)
            response.url = url
            response.cache = cache
            if request.addressing == .mainPageOrigin { response.requireRevalidation() }
            return response
        } catch {
            var response = NoticePage.unreadable(error, DeviceLanguage(request.head)).response(
                .internalServerError, outcome: .failed(error), isHead: request.head.method == .head)
            response.url = url
            return response
        }
    }

    /// Returns the canonical URL of a request; nil for a path that does not begin with `/`, and for a text without canonical form.
    ///
    /// The URL of a request by ``ReplayRequest/Addressing/mainPageOrigin`` has the origin of the main page, for any
    /// authority.
    private func url(_ request: ReplayRequest) -> CanonicalURL? {
        let head = request.head
        guard let path = head.path, path.utf8.first == UInt8(ascii: "/") else { return nil }
        switch request.addressing {
        case .mainPageOrigin:
            return try? CanonicalURL(utf8: Array(site.origin) + Array(path.utf8))
        case .ownOrigins:
            guard let scheme = head.scheme, let authority = head.authority, !authority.isEmpty else { return nil }
            return try? CanonicalURL(utf8: Array("\(scheme)://\(authority)\(path)".utf8))
        }
    }

    /// Finds the response: in the cache, in the archives, by a rule, or as a miss.
    ///
    /// Only a GET without content is looked up in the cache, and only if no rule takes precedence over entries.
    ///
    /// - Parameters:
    ///   - url: the canonical URL of the request.
    ///   - budget: the budget for all layers together; that of a quick request is for hints as well.
    /// - Throws: `limitExceeded` beyond the budget, and errors of reading.
    private func respond(
        to request: ReplayRequest, _ url: CanonicalURL, _ budget: DecodingBudget
    ) throws(ArchiveError) -> ReplayResponse {
        let head = request.head
        // Others are looked for each time: their result depends on more than the URL.
        var isCacheable = head.method == .get && request.bodyDigest == nil && request.time == site.time
        var matched = MatchRequest(
            url: url, method: head.method.rawValue, headers: [], bodyDigest: request.bodyDigest, time: request.time)
        if isCacheable, !site.hasForcedRules, let known = cache[url] {
            matched.time = known.capture.followsPage ? try pageTime(of: request, budget) : nil
            guard matched.time != nil else { return try selected(known, request, url, budget) }
            isCacheable = false
        }
        matched.headers = HeaderFields(head.headerFields)
        matched.content = request.content
        var result = try site.match(matched, within: budget)
        if matched.time == nil, result.followsPage, let time = try pageTime(of: request, budget) {
            (matched.time, isCacheable) = (time, false)
            result = try site.match(matched, within: budget)
        }
        var found: ReplayResponse?
        switch result.response {
        case .entry(let match, let status?):
            found = try response(match.entry, status: status, request, url)
        case .entry(let match, nil):
            if result.rule == nil, match.rules.contains(.directoryIndex),
                let redirect = redirectToDirectory(url, match.entry)
            {
                return redirect
            }
            found = try response(
                match, request, url, isCacheable: isCacheable && !result.dependsOnFields, budget)
            found?.rules = match.rules
            // A redirect that the packer made represents the URL with any query.
            if match.rules.contains(.withoutQuery), try match.entry.role == .alias { found?.addQuery(of: url) }
        case .redirect(let status, let location):
            found = redirect(status, to: location, request, url)
        case nil: break
        }
        var response = if let found { found } else { try missing(request, matched, budget) }
        if result.dependsOnClient { response.head.headerFields.add(varying: ["Accept-Language", "Cookie"]) }
        return response
    }

    /// Returns the response of an entry; nil for an entry without one.
    ///
    /// A stored response that is interim (below 200) gives 502, since no final one follows it.
    ///
    /// - Parameters:
    ///   - match: the entry, and the rules by which it matched.
    ///   - isCacheable: whether the result depends on the URL only.
    private func response(
        _ match: ArchiveMatch, _ request: ReplayRequest, _ url: CanonicalURL, isCacheable: Bool,
        _ budget: DecodingBudget
    ) throws(ArchiveError) -> ReplayResponse? {
        // Kept under the entry's own URL: any number of others may lead there. With several layers, a different one may respond to that URL, and
        // with a choice among several URLs a different capture.
        let own = isCacheable && match.isOfItsOwnURL ? try? CanonicalURL(utf8: try match.entry.keyBytes) : nil
        let key = own == url || site.layers.count == 1 ? own : nil
        if let key, key != url, let known = cache[key] { return try selected(known, request, url, budget) }
        // Found by its time or among those of several URLs, it is kept as the capture that it is.
        let isCapture = match.isOneOfSeveral || isCacheable && !match.isOfItsOwnURL
        let capture =
            request.head.method == .get && key == nil && isCapture
            ? ReplayCache.Capture(entry: match.entry.identity, isOneOfSeveral: match.isOneOfSeveral) : nil
        if let capture, let known = cache[capture] { return try selected(known, request, url, budget) }
        guard let stored = try stored(match.entry, StoredCapture(match), request) else { return nil }
        // An interim response (RFC 9110 section 15.2) without the one that must follow it.
        guard stored.status.code >= 200 else {
            return notice(
                request, .badGateway, .emptyTitle, .emptyText, .responded, ["url": url.description])
        }
        if let key { cache[key] = stored }
        if let capture { cache[capture] = stored }
        return try selected(stored, request, url, budget)
    }

    /// Reads the response of an entry for sending; nil for an entry without one.
    ///
    /// A body of up to 256 KiB is read at once, except for HEAD. Fields of more than 256 KiB are an error.
    private func stored(
        _ entry: ArchiveEntry, _ capture: StoredCapture, _ request: ReplayRequest
    ) throws(ArchiveError) -> StoredResponse? {
        try StoredResponse(
            entry.limited(to: .forMessage()), capture, readingContent: request.head.method != .head, prepare: prepare)
    }

    /// Returns the content of an entry with a different status: that of an error, to which neither conditions nor ranges apply.
    ///
    /// - Parameters:
    ///   - entry: the entry of the page, such as `404.html`.
    ///   - status: the status to send.
    /// - Returns: the response; nil if the entry has no response with status 200.
    private func response(
        _ entry: ArchiveEntry, status: Int, _ request: ReplayRequest, _ url: CanonicalURL
    ) throws(ArchiveError) -> ReplayResponse? {
        guard let stored = try stored(entry, StoredCapture(), request), stored.status.code == 200 else { return nil }
        var response = whole(stored, request, url)
        response.head.status = HTTPResponse.Status(code: status)
        for name in [HTTPField.Name.eTag, .lastModified, .acceptRanges] { response.head.headerFields[name] = nil }
        return response
    }

    /// Returns the redirect of a publisher's rule.
    ///
    /// Its target on this server's origin becomes a path by ``ReplayRequest/Addressing/mainPageOrigin``.
    ///
    /// - Parameters:
    ///   - status: the status of the rule.
    ///   - location: the target, a path or a URL.
    private func redirect(
        _ status: Int, to location: String, _ request: ReplayRequest, _ url: CanonicalURL
    ) -> ReplayResponse {
        let shown =
            request.addressing == .mainPageOrigin
            ? RedirectLocation(location, from: url, origin: site.origin).text : location
        return ReplayResponse(
            HTTPResponse(
                status: HTTPResponse.Status(code: status), headerFields: [.location: shown, .contentLength: "0"]),
            outcome: .responded)
    }

    /// Returns a redirect of `/dir` to `/dir/`, as file servers send it: links in the page are relative to the directory. Nil if the entry is
    /// no index of it.
    ///
    /// It is 301, without content, and keeps the query of the request.
    private func redirectToDirectory(_ url: CanonicalURL, _ entry: ArchiveEntry) -> ReplayResponse? {
        guard let stored = try? CanonicalURL(utf8: try entry.keyBytes), let target = url.directory(servedBy: stored)
        else { return nil }
        return ReplayResponse(
            HTTPResponse(
                status: .movedPermanently,
                headerFields: [.location: target.originForm, .contentLength: "0"]),
            outcome: .responded)
    }

    // MARK: - Stored responses

    /// Returns the response for a client: coded, if it may be and the client accepts a coding.
    ///
    /// Each such response varies by `Accept-Encoding`, the uncoded one as well. One of several captures states its time.
    private func selected(
        _ stored: StoredResponse, _ request: ReplayRequest, _ url: CanonicalURL, _ budget: DecodingBudget
    ) throws(ArchiveError) -> ReplayResponse {
        var response = try coded(stored, request, url, budget)
        response.describe(stored, to: request, url)
        return response
    }

    private func coded(
        _ stored: StoredResponse, _ request: ReplayRequest, _ url: CanonicalURL, _ budget: DecodingBudget
    ) throws(ArchiveError) -> ReplayResponse {
        guard request.mayBeCoded, request.addressing == .mainPageOrigin, stored.isCompressible else {
            return selected(stored, request, url)
        }
        var response =
            if let coded = try CodedResponse(stored, request, cache, budget) {
                coded.response
            } else {
                selected(stored, request, url)
            }
        response.head.headerFields.add(varying: ["Accept-Encoding"])
        return response
    }

    /// Returns the uncoded response that conditions and ranges select (RFC 9110 sections 13.2.2 and 14.2).
    ///
    /// They apply to a stored 200 and the methods GET and HEAD only; a range applies to GET only.
    private func selected(_ stored: StoredResponse, _ request: ReplayRequest, _ url: CanonicalURL) -> ReplayResponse {
        let method = request.head.method
        guard stored.status.code == 200, method == .get || method == .head else {
            return whole(stored, request, url)
        }
        let fields = request.head.headerFields
        let conditions = Preconditions(entityTag: stored.entityTag, modified: stored.modified)
        let length = stored.body?.length ?? 0
        switch RepresentationSelection(
            conditions, length: length, range: method == .get ? fields[.range] : nil,
            field: { stored.condition($0, of: fields) })
        {
        case .preconditionFailed: return .preconditionFailed
        case .notModified: return .notModified(stored.fields)
        case .ranges(let ranges):
            guard let body = stored.body else { return whole(stored, request, url) }
            var response = RangeResponse(fields: stored.fields, body: body, part: stored.part).response(ranges)
            response.bodyInMemory = stored.content
            return response
        case .whole:
            return whole(stored, request, url)
        }
    }

    /// Returns the response with all of the body; its `Location` is the address of the target on this server.
    ///
    /// The fields that the server has prepared are used if no `Location` had to change.
    private func whole(_ stored: StoredResponse, _ request: ReplayRequest, _ url: CanonicalURL) -> ReplayResponse {
        var parts: [ReplayResponse.Part] = []
        if stored.hasContent, request.head.method != .head, let part = stored.part(0..<(stored.body?.length ?? 0)) {
            parts.append(part)
        }
        var response = ReplayResponse(stored.whole, parts, outcome: .responded)
        response.bodyInMemory = stored.content
        if request.addressing == .mainPageOrigin, let location = response.head.headerFields[.location] {
            response.head.headerFields[.location] = RedirectLocation(location, from: url, origin: site.origin).text
        } else {
            response.prepared = stored.prepared
        }
        return response
    }

    // MARK: - Missing responses

    /// Returns the response to a miss: a redirect from `/` to the main page, 405 if only other methods are stored, the site's own
    /// `404.html`, or a page with the nearest entries. The response for a part of a page is one line of text.
    ///
    /// The page's texts are in the language that the client prefers.
    ///
    /// - Parameters:
    ///   - lookup: the request in the form of a search, with its canonical URL.
    ///   - budget: the budget of the request; hints have one of their own, unless the request is quick.
    /// - Throws: errors of reading, since a damaged index is not a miss.
    private func missing(
        _ request: ReplayRequest, _ lookup: MatchRequest, _ budget: DecodingBudget
    ) throws(ArchiveError) -> ReplayResponse {
        if request.addressing == .mainPageOrigin, lookup.url.path.elementsEqual("/".utf8), lookup.url.query == nil,
            lookup.url != site.mainPage
        {
            let location = site.mainPage.originForm
            return ReplayResponse(
                HTTPResponse(status: .found, headerFields: [.location: location, .contentLength: "0"]), outcome: .own)
        }
        let near = try site.nearMisses(lookup, within: budget)
        let isKnownMethod = near.contains { miss in
            if case .otherBody(lookup.url.description, _) = miss { true } else { false }
        }
        let methods = near.reduce(into: Set<String>()) { methods, miss in
            // A text that is not a method cannot be allowed.
            if case .otherMethod(lookup.url.description, let method) = miss, method.utf8.count <= 100,
                HTTPRequest.Method(method) != nil
            {
                methods.insert(method)
            }
        }
        if !methods.isEmpty, !isKnownMethod {
            let allowed = methods.union(methods.contains("GET") ? ["HEAD"] : []).sorted().joined(separator: ", ")
            var response = notice(
                request, .methodNotAllowed, .methodTitle, .methodText, .missing,
                ["method": lookup.method, "url": lookup.url.description, "methods": allowed])
            response.head.headerFields[.allow] = allowed
            return response
        }
        guard request.mayShowPage else { return .plainNotFound(to: request) }
        if let page = try site.notFoundPage(for: lookup.url, within: budget),
            var response = try response(page, status: 404, request, lookup.url)
        {
            response.outcome = .missing
            return response
        }
        if lookup.url == site.mainPage, request.addressing == .mainPageOrigin {
            return try withoutMainPage(request, budget)
        }
        let isOnOwnOrigin = request.addressing == .mainPageOrigin
        var page = NoticePage(
            isOnOwnOrigin ? .missingTitle : .elsewhereTitle, isOnOwnOrigin ? .missingText : .elsewhereText,
            in: DeviceLanguage(request.head), ["url": lookup.url.description])
        page.suggestions = near.prefix(5).map { ($0.description, link(to: $0, request.addressing)) }
        if site.mainPageLeads(elsewhereThan: lookup.url, within: budget),
            let address = address(of: site.mainPage, request.addressing)
        {
            page.wayOut = (page.language[.mainPage], address)
        }
        return page.response(
            isOnOwnOrigin ? .notFound : .gatewayTimeout, outcome: .missing, isHead: request.head.method == .head)
    }

    /// Returns the page for a site without its main page: it lists the stored pages.
    ///
    /// At most 30 pages are listed, those on the origin of the main page.
    private func withoutMainPage(
        _ request: ReplayRequest, _ budget: DecodingBudget
    ) throws(ArchiveError) -> ReplayResponse {
        var page = NoticePage(
            .frontPageTitle, .frontPageText, in: DeviceLanguage(request.head), ["url": site.mainPage.description])
        page.suggestions = try site.bestPages(within: budget).map {
            ($0.description, address(of: $0, request.addressing))
        }
        return page.response(.notFound, outcome: .missing, isHead: request.head.method == .head)
    }

    /// Returns the link to an entry near a miss; nil for one that a link cannot request.
    private func link(to miss: NearMiss, _ addressing: ReplayRequest.Addressing) -> String? {
        switch miss {
        case .similar(let url), .otherQuery(let url), .otherVariant(let url, _):
            (try? CanonicalURL(url)).flatMap { address(of: $0, addressing) }
        case .otherMethod, .otherBody, .unpackOnly, .withoutBody:
            nil
        }
    }

    /// Returns the address of a stored URL on this server; nil without one.
    ///
    /// It is also nil for a URL whose scheme is not special (specification section 8.1, step 3), and by
    /// ``ReplayRequest/Addressing/mainPageOrigin`` for one of another origin.
    private func address(of url: CanonicalURL, _ addressing: ReplayRequest.Addressing) -> String? {
        guard addressing == .mainPageOrigin else { return url.isSpecial ? url.description : nil }
        guard url.root == site.origin else { return nil }
        return url.originForm
    }

    /// Returns a page of the server's own in the language that the client prefers.
    ///
    /// - Parameter values: the values for the names in braces of both texts.
    private func notice(
        _ request: ReplayRequest, _ status: HTTPResponse.Status, _ title: DeviceText, _ text: DeviceText,
        _ outcome: ReplayResponse.Outcome, _ values: KeyValuePairs<String, String> = [:]
    ) -> ReplayResponse {
        NoticePage(title, text, in: DeviceLanguage(request.head), values).response(
            status, outcome: outcome, isHead: request.head.method == .head)
    }
}
