// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebArchiveReplay

/// The page with all properties of one entry.
struct EntryPage {
    /// The identifier of the shown entry.
    let id: EntryID
    private let entry: ArchiveEntry
    /// The archives, which are searched for the redirects and the other entries.
    private let site: ReplaySite
    private let request: ArchiveRequest
    private let response: ArchiveResponse?
    /// The stored body of the response; nil without one.
    private let body: ArchiveBody?
    /// The redirects from the entry; nil for an entry that is not a redirect.
    private let chain: RedirectChain?
    /// The other entries of the URL.
    private let others: [EntryRow]
    /// The secret that addresses of embedded content must have, so that only pages of the explorer embed it.
    private let embeddingKey: String

    /// The maximum number of entries of the URL that are read from each layer.
    private static let maximumOtherCount = 100

    /// Reads all parts of an entry, its chain of redirects, and the other entries of its URL.
    ///
    /// - Parameter embeddingKey: the key with which pages of the explorer embed content.
    /// - Throws: `damaged` or `io`.
    init(
        _ id: EntryID, _ entry: ArchiveEntry, in site: ReplaySite, embeddingKey: String = ""
    ) throws(ArchiveError) {
        (self.id, self.entry, self.site, self.embeddingKey) = (id, entry, site, embeddingKey)
        (request, response, body) = (try entry.request, try entry.response, try entry.body)
        chain = try RedirectChain(from: entry, in: site)
        let url = try? CanonicalURL(utf8: entry.keyBytes)
        others =
            try url.mapTyped { url throws(ArchiveError) in
                try Self.all(url, in: site).filter { $0.id != id }.map { EntryRow($0.id, $0.entry) }
            } ?? []
    }

    /// Returns the entries of a URL in all layers, at most 100 of each layer, in the order of layers.
    ///
    /// - Throws: `damaged` or `io`.
    static func all(
        _ url: CanonicalURL, in site: ReplaySite
    ) throws(ArchiveError) -> [(id: EntryID, entry: ArchiveEntry)] {
        var found: [(id: EntryID, entry: ArchiveEntry)] = []
        for (number, layer) in site.layers.enumerated() {
            found += try layer.entries(of: url, atMost: maximumOtherCount).map { (EntryID(layer: number, $0), $0) }
        }
        return found
    }

    /// The JSON of `webarc list --json`, with the entry's identifier.
    var json: JSONValue {
        get throws(ArchiveError) {
            guard case .object(let members) = try EntryDescription(entry).json else { return .null }
            let more: [JSONValue.Member] = [
                .init(name: "id", value: .string(id.description)), .init(name: "layer", value: .number(id.layer)),
                .init(name: "redirects", value: chain?.json ?? .array([])),
                .init(name: "redirectsEnd", value: .text(chain?.end.rawValue)),
                .init(name: "others", value: .array(others.map(\.json))),
            ]
            return .object(members + more)
        }
    }

    /// The page: facts, redirects, a preview, the fields of response and request, and the other entries of the URL.
    ///
    /// - Throws: `damaged` or `io`, since some of the facts are read on access.
    var page: ExplorerPage {
        get throws(ArchiveError) {
            var html = try facts
            if let chain { html += "<h2>Redirects</h2>\n\(chain.html)" }
            html += preview
            if let response { html += FieldTable(title: "Response header fields", fields: response.headers).html }
            html += FieldTable(title: "Request header fields", fields: request.headers).html
            if !others.isEmpty {
                html +=
                    "<h2>Other entries for this URL</h2>\n<ol class=\"list\">\n\(others.map(\.html).joined())</ol>\n"
            }
            return ExplorerPage(title: request.url, html: html)
        }
    }

    /// The table of facts, in which all texts of the archive are escaped.
    private var facts: String {
        get throws(ArchiveError) {
            let key = try entry.key
            var facts: [(String, String)] = [("Request", ArchivedText.html(request.method))]
            if key != request.url { facts.append(("Canonical URL", ArchivedText.html(key))) }
            if let requestBody = try entry.requestBody {
                facts.append(("Sent", Self.description(requestBody)))
            }
            if let response {
                facts.append(("Status", ArchivedText.html("\(response.status) \(response.reason)")))
                if let type = response.mediaType {
                    facts.append(("Type", ArchivedText.html(type + (response.charset.map { "; charset=\($0)" } ?? ""))))
                }
                if !response.codings.isEmpty {
                    facts.append(
                        ("Content codings removed", ArchivedText.html(response.codings.joined(separator: ", "))))
                }
                if let address = response.address { facts.append(("Server", ArchivedText.html(address))) }
            } else {
                facts.append(("Status", "no response"))
            }
            if let time = try entry.time { facts.append(("Recorded", Timestamp.text(time))) }
            if let modified = response?.modified { facts.append(("Modified", Timestamp.text(modified))) }
            if let body {
                facts.append(("Content", Self.description(body)))
                facts.append(("Stored size", SizeFormat.bytes(try body.storedLength)))
            }
            facts.append(("Archive", ArchivedText.html(ArchivesPage.name(site.layers[id.layer]))))
            let rows = facts.map { "<tr><th scope=\"row\">\($0)</th><td>\($1)</td></tr>\n" }
            return "<table class=\"facts\">\n\(rows.joined())</table>\n\(try replayLink)"
        }
    }

    /// Returns the length of a body, rounded and exact, and its digest.
    private static func description(_ body: ArchiveBody) -> String {
        "\(SizeFormat.bytes(body.length)) (\(SizeFormat.count(body.length)) bytes), MD5 <code>\(body.digest)</code>"
    }

    /// The link to the URL on the server, if it is served.
    private var replayLink: String {
        get throws(ArchiveError) {
            guard request.method == "GET", response != nil, try entry.role.isServed,
                let url = try? CanonicalURL(utf8: entry.keyBytes), url.root == site.origin
            else { return "" }
            return
                "<p><a class=\"way\" href=\"\(HTMLText.escaped(url.originForm))\">Open as visitors see it</a></p>\n"
        }
    }

    /// The preview with links to open the content; empty without a response or for an empty body.
    ///
    /// A document of more than ``ContentPreview/maximumDocumentLength`` is only linked to.
    private var preview: String {
        guard let body, body.length > 0, let response else { return "" }
        let content = ContentPreview(mediaType: response.mediaType, charset: response.charset)
        let form = content.form
        let link = QueryFields.link("/-/content", ["entry": id.description])
        let page = QueryFields.link("/-/preview", ["entry": id.description])
        let isPage = content.isPage && body.length <= ContentPreview.maximumDocumentLength
        let source = "\(isPage ? page : link)&amp;key=\(embeddingKey)"
        let shown =
            switch form {
            case .image: "<img class=\"preview\" src=\"\(source)\" alt=\"The archived image\">\n"
            case .audio: "<audio controls preload=\"none\" src=\"\(source)\"></audio>\n"
            case .video: "<video class=\"preview\" controls preload=\"none\" src=\"\(source)\"></video>\n"
            case .document where body.length <= ContentPreview.maximumDocumentLength:
                "<iframe sandbox src=\"\(source)\" title=\"The archived document, without scripts\"></iframe>\n"
            case .document, .file: ""
            }
        let open = isPage ? "<a href=\"\(page)\">Open the page on its own, without scripts</a><br>" : ""
        let text =
            content.isSaved ? "Save the content" : content.isPage ? "Show as stored" : "Open the content on its own"
        return "<h2>Content</h2>\n\(shown)<p>\(open)<a href=\"\(link)\">\(text)</a></p>\n"
    }
}
