// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// An entry in a list.
struct EntryRow: Sendable {
    /// The identifier, by which the row links to the page of the entry.
    let id: EntryID
    /// The canonical URL; `?` if it cannot be read.
    let url: String
    /// The method; `?` if the entry is damaged.
    let method: String
    /// The summary of the response; nil without a response, or if it cannot be read.
    let outline: AnswerOutline?
    /// The length of the body in bytes, decoded.
    let length: UInt64?
    /// The time of the entry; nil if it is unknown.
    let time: ArchiveTime?
    /// The role; that of an exchange if the entry is damaged.
    let role: ArchiveEntry.Role
    /// Whether a part other than the URL cannot be read.
    let isDamaged: Bool
    /// The title of a page; nil if it has none, or it was not read.
    let title: String?

    /// Creates the row; a part that cannot be read is left out, and the row states it.
    init(_ id: EntryID, _ entry: ArchiveEntry, title: String? = nil) {
        (self.id, self.title) = (id, title)
        url = (try? entry.key) ?? "?"
        do throws(ArchiveError) {
            let outline = try entry.outline
            let parts = (try entry.outlinedMethod, try entry.body?.length, try entry.time, try entry.role)
            self.outline = outline
            (method, length, time, role) = parts
            isDamaged = false
        } catch {
            outline = nil
            (method, length, time, role) = ("?", nil, nil, .exchange)
            isDamaged = true
        }
    }

    /// The kind of response for the JSON; nil without one.
    private var kind: String? { outline.map { $0.isRedirect ? "redirect" : "response" } }

    /// The object `EntryRow` of ``ExplorerSchemas``, with null for missing values.
    var json: JSONValue {
        [
            "id": .string(id.description), "layer": .number(id.layer), "url": .string(url), "method": .string(method),
            "role": .number(role.rawValue), "kind": .text(kind), "status": .number(outline?.status),
            "mediaType": .text(outline?.mediaType), "length": .number(length), "time": .number(time?.nanoseconds),
            "title": .text(title), "damaged": .bool(isDamaged),
        ]
    }

    /// The address of the entry's page. It needs no escaping.
    var link: String { QueryFields.link("/-/entry", ["entry": id.description]) }

    /// An item of a list: the title or the URL as a link, and the known properties.
    var html: String {
        var facts: [String] = []
        if isDamaged { facts.append("damaged") }
        if method != "GET" { facts.append(ArchivedText.html(method, atMost: 40)) }
        if let outline {
            facts.append(String(outline.status))
            if outline.isRedirect { facts.append("redirect") }
            if let type = outline.mediaType { facts.append(ArchivedText.html(type, atMost: 100)) }
        } else if !isDamaged {
            facts.append("no response")
        }
        if let length { facts.append(SizeFormat.bytes(length)) }
        if let time { facts.append("<time>\(Timestamp.text(time))</time>") }
        switch role {
        case .exchange: break
        case .alias: facts.append("alias")
        case .unpackOnly: facts.append("for unpacking only")
        case .withoutBody: facts.append("without its body")
        }
        let address = ArchivedText.html(url, atMost: 500)
        let known = "<small>\(facts.joined(separator: " · "))</small>"
        guard let title else { return "<li><a href=\"\(link)\">\(address)</a><br>\(known)</li>\n" }
        return "<li><a href=\"\(link)\">\(ArchivedText.html(title))</a><br>\(address)<br>\(known)</li>\n"
    }
}
