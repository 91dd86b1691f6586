// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import WebArchive

// Captures by time. RFC 7089, whose pattern 1.3 this is: a URL is its own time gate and its own memento.

extension ReplayRequest {
    /// Whether the client chooses the capture by its time: with a GET or a HEAD at its own origin.
    fileprivate var negotiatesTime: Bool {
        addressing == .ownOrigins && (head.method == .get || head.method == .head)
            && head.headerFields.contains(.acceptDatetime)
    }

    /// Returns the request with the wanted time: its own, that of its `Accept-Datetime`, or the time of the site.
    ///
    /// - Returns: the request; nil for an `Accept-Datetime` that is not an IMF-fixdate.
    func withTime(_ siteTime: ArchiveTime?) -> ReplayRequest? {
        guard time == nil else { return self }
        var request = self
        request.time = siteTime
        if negotiatesTime {
            guard let date = head.headerFields[.acceptDatetime].flatMap(HTTPDate.nanoseconds) else { return nil }
            // The first moment of 1970 is not one: the next nanosecond takes its place.
            request.time = ArchiveTime(nanoseconds: date == 0 ? 1 : date)
        }
        return request
    }
}

extension ReplayResponder {
    /// Returns the time of the capture of the page that requests one of its parts; nil if it is not known.
    ///
    /// It is that of the page in the `Referer` field. The capture of a page is the newest, unless the request for it names
    /// a time; a request that names a time itself, and one for a page, follows no page.
    func pageTime(of request: ReplayRequest, _ budget: DecodingBudget) throws(ArchiveError) -> ArchiveTime? {
        guard request.time == nil, !request.isNavigation, let page = referringPage(of: request) else { return nil }
        if !site.hasForcedRules, let known = cache[page] { return known.capture.time }
        let lookup = MatchRequest(url: page, headers: HeaderFields(request.head.headerFields))
        guard case .entry(let match, nil)? = try site.match(lookup, within: budget).response else { return nil }
        return try match.entry.time
    }

    /// Returns the URL of the page in the `Referer` field, in its own origin; nil without one, and for a page of a different server.
    private func referringPage(of request: ReplayRequest) -> CanonicalURL? {
        guard let referrer = request.head.headerFields[.referer].flatMap({ try? CanonicalURL($0) }) else { return nil }
        guard request.addressing == .mainPageOrigin else { return referrer }
        guard let authority = request.head.authority, let shown = referrer.authority,
            let own = try? CanonicalURL(utf8: Array(referrer.scheme) + Array("://\(authority)/".utf8)),
            own.authority?.elementsEqual(shown) == true
        else { return nil }
        return try? CanonicalURL(utf8: Array(site.origin) + referrer.bytes[referrer.path.startIndex...])
    }
}

extension ReplayResponse {
    /// Adds the time of a capture, and the request fields that choose among several.
    ///
    /// The time is stated if the request names one, and for one of several captures. A stored `Memento-Datetime`, of an archive
    /// that was captured, stays.
    mutating func describe(_ stored: StoredResponse, to request: ReplayRequest, _ url: CanonicalURL) {
        let capture = stored.capture
        let isRefusal = head.status == .preconditionFailed || head.status == .rangeNotSatisfiable
        if let time = capture.time, request.time != nil || capture.isOneOfSeveral, !isRefusal {
            head.headerFields[.mementoDatetime] =
                stored.fields[.mementoDatetime] ?? HTTPDate.text(nanoseconds: time.nanoseconds)
        }
        if request.addressing == .ownOrigins, capture.isOneOfSeveral || request.negotiatesTime {
            describeNegotiation(of: url)
        }
        if capture.followsPage, request.time == nil { head.headerFields.add(varying: ["Referer"]) }
    }

    /// Adds the fields of a resource that is its own time gate. RFC 7089 section 4.1.3.
    private mutating func describeNegotiation(of url: CanonicalURL) {
        head.headerFields.add(varying: ["accept-datetime"])
        head.headerFields.append(HTTPField(name: .link, value: "<\(url)>; rel=\"original timegate\""))
    }

    /// Returns the response 400 to an `Accept-Datetime` that is not a date. RFC 7089 section 4.5.3.
    static func invalidDatetime(_ url: CanonicalURL, _ request: ReplayRequest) -> ReplayResponse {
        let value = request.head.headerFields[.acceptDatetime] ?? ""
        var response = NoticePage(
            title: "Invalid time",
            text: [
                "The Accept-Datetime field of the request is \"\(value)\".",
                "It takes a date in the form of RFC 9110 section 5.6.7, such as Thu, 31 May 2007 20:35:00 GMT.",
            ]
        ).response(.badRequest, outcome: .own, isHead: request.head.method == .head)
        response.describeNegotiation(of: url)
        response.url = url
        return response
    }
}
