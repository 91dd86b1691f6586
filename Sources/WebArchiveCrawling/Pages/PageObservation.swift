// SPDX-License-Identifier: Apache-2.0

public import WebArchive
package import WebArchiveBrowser

/// The requests that a browser sent for one page, and the links of that page.
///
/// An archive keeps it as a record of WARC's type `metadata` in the commit of its page. Of requests it has a set: one that was repeated with the same
/// response counts once.
///
/// ```swift
/// let request = ObservedRequest(url: "https://notes.example/", status: 200, isFrame: true)
/// let observation = PageObservation(url: "https://notes.example/", time: .now(), requests: [request])
/// let bytes = observation.encoded()
/// ```
public struct PageObservation: Hashable, Sendable {
    /// The URL of the page as given, absolute.
    public var url: String
    /// The time of the visit, as the page in the list of pages has it.
    public var time: ArchiveTime
    /// The requests, sorted, none of them twice.
    public private(set) var requests: [ObservedRequest]
    /// The absolute URLs of the links, in the order of the document, none of them twice.
    public private(set) var links: [String]
    /// Whether there were more requests or links than an observation takes.
    public private(set) var isTruncated = false

    /// The clock and the random numbers that the page found; those of the browser by default.
    package var conditions = PageConditions()

    /// The maximum number of requests, and of links.
    public static let maximumCount = 1 << 14
    /// The maximum length of an encoded observation, in bytes.
    public static let maximumLength = 16 << 20
    /// The maximum length of the URLs and methods of an observation, in bytes: a character may take six bytes in JSON.
    private static let maximumTextLength = 1 << 20

    /// Creates an observation. It checks no URL.
    ///
    /// - Parameters:
    ///   - url: an absolute URL.
    ///   - time: the time of the visit.
    ///   - requests: the requests, in any order; none by default.
    ///   - links: the links, in the order of the document; none by default.
    public init(url: String, time: ArchiveTime, requests: [ObservedRequest] = [], links: [String] = []) {
        (self.url, self.time, self.requests, self.links) = (url, time, [], [])
        var (textLength, known) = (0, Set<String>())
        for request in Set(requests).sorted() {
            textLength += request.method.utf8.count + request.url.utf8.count + (request.failure?.utf8.count ?? 0)
            guard self.requests.count < Self.maximumCount, textLength <= Self.maximumTextLength else {
                isTruncated = true
                break
            }
            self.requests.append(request)
        }
        textLength = 0
        for link in links where known.insert(link).inserted {
            textLength += link.utf8.count
            guard self.links.count < Self.maximumCount, textLength <= Self.maximumTextLength / 2 else {
                isTruncated = true
                break
            }
            self.links.append(link)
        }
    }
}

extension PageObservation {
    /// Returns the observation as JSON (RFC 8259), one line in ASCII, the same for the same observation.
    public func encoded() -> [UInt8] {
        var members: [JSONValue.Member] = [
            .init(name: "url", value: .string(url)), .init(name: "time", value: .integer(time.nanoseconds)),
            .init(name: "requests", value: .array(requests.map(\.json))),
            .init(name: "links", value: .array(links.map(JSONValue.string))),
        ]
        if isTruncated { members.append(.init(name: "truncated", value: true)) }
        if let clock = conditions.clock { members.append(.init(name: "clock", value: .integer(clock.nanoseconds))) }
        if let seed = conditions.seed { members.append(.init(name: "seed", value: .number(seed))) }
        return Array(JSONValue.object(members).line.utf8)
    }

    /// Decodes an observation that anyone may have written. Unknown members are skipped.
    ///
    /// - Throws: `damaged` with the reason; `limitExceeded` beyond ``maximumLength`` or ``maximumCount``.
    public init(decoding bytes: [UInt8]) throws(ArchiveError) {
        var limits = JSONText.Limits()
        // A request has seven values and itself.
        (limits.length, limits.values, limits.depth) = (Self.maximumLength, 10 * Self.maximumCount, 4)
        let json = try JSONText.value(bytes, limits: limits)
        guard let url = json["url"]?.text, case .integer(let nanoseconds) = json["time"],
            let time = ArchiveTime(nanoseconds: nanoseconds)
        else { throw Self.damaged("no URL or no time") }
        var requests: [ObservedRequest] = []
        for item in json["requests"]?.items ?? [] { requests.append(try ObservedRequest(item)) }
        var links: [String] = []
        for item in json["links"]?.items ?? [] {
            guard let link = item.text else { throw Self.damaged("a link that is not a string") }
            links.append(link)
        }
        self.init(url: url, time: time, requests: requests, links: links)
        if json["truncated"]?.isTrue == true { isTruncated = true }
        if let clock = json["clock"] {
            guard case .integer(let nanoseconds) = clock, let time = ArchiveTime(nanoseconds: nanoseconds) else {
                throw Self.damaged("a clock that is no time")
            }
            conditions.clock = time
        }
        if let seed = json["seed"] {
            guard case .integer(let number) = seed, let seed = UInt32(exactly: number) else {
                throw Self.damaged("a seed that is no number of 32 bits")
            }
            conditions.seed = seed
        }
    }

    /// The observation without its links, which may be many.
    var withoutLinks: PageObservation {
        var kept = self
        kept.links = []
        return kept
    }

    static func damaged(_ fault: String) -> ArchiveError {
        ArchiveError(.damaged, "the observation of a page has \(fault)")
    }
}
