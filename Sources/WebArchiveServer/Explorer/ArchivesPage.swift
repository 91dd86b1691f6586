// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive
import WebArchivePresentation
import WebArchiveReplay

/// The page of served archives: the first page of the explorer.
struct ArchivesPage {
    /// The site whose layers are shown, in their order.
    let site: ReplaySite
    /// Whether there is a report of a proof, to which the page leads.
    var hasReport = false
    /// The metadata of each layer, by name in the order of bytes, truncated to the limits.
    private let metadata: [[(name: String, value: String)]]
    /// The first pages of the lists of pages.
    private let pages: PageList
    /// The origins with the most entries, and the number of those beyond them.
    private let hosts: Hosts
    /// The fault for which the hosts are not listed; nil for none.
    private let hostsFault: ArchiveError?

    private struct Hosts {
        var shown: [(origin: String, count: Int)] = []
        var restCount = 0
        var isComplete = false
    }

    /// Reads the parts of the page. Hosts are left out if a key is damaged.
    ///
    /// It throws `damaged` or `io` for the metadata. It reads the metadata of all layers, the beginning of their lists of pages, and a few keys of each of up to
    /// 10,000 hosts, but no more than 20,000 keys of a layer.
    init(_ site: ReplaySite) throws(ArchiveError) {
        self.site = site
        var metadata: [[(name: String, value: String)]] = []
        for layer in site.layers {
            let values = try layer.metadata().sorted { $0.key.precedesInBytes($1.key) }.prefix(Self.maximumValueCount)
            metadata.append(values.map { ($0.key, String($0.value.prefix(Self.maximumValueLength))) })
        }
        self.metadata = metadata
        pages = try PageList(of: site, from: 0, count: Self.shownPageCount)
        do throws(ArchiveError) {
            (hosts, hostsFault) = (try Self.hosts(of: site), nil)
        } catch {
            (hosts, hostsFault) = (Hosts(), error)
        }
    }

    /// The number of pages of the first page.
    private static let shownPageCount = 10
    /// The number of hosts that are listed, of all that are counted.
    private static let shownHostCount = 100
    private static let countedHostCount = 10_000

    private static func hosts(of site: ReplaySite) throws(ArchiveError) -> Hosts {
        var (all, isComplete) = ([[UInt8]: Int](), true)
        for layer in site.layers {
            let (counts, isWhole) = try layer.originCounts(atMost: countedHostCount)
            all.merge(counts, uniquingKeysWith: +)
            isComplete = isComplete && isWhole
        }
        let sorted = all.sorted {
            $0.value > $1.value || $0.value == $1.value && $0.key.lexicographicallyPrecedes($1.key)
        }
        let shown = sorted.prefix(shownHostCount).map { (String(untrusted: $0.key), $0.value) }
        return Hosts(shown: Array(shown), restCount: all.count - shown.count, isComplete: isComplete)
    }

    /// The maximum number of values of metadata, and of characters of each.
    private static let maximumValueCount = 1000
    /// The maximum length of a value in the JSON, in characters.
    private static let maximumValueLength = 4096

    /// Returns the name of the file, without its folders.
    ///
    /// A name that is not a path stays as it is.
    static func name(_ archive: ArchiveReader) -> String {
        FilePath(archive.name).lastComponent?.string ?? archive.name
    }

    /// Returns the label for a name of the format, or for one of a publisher or a program.
    ///
    /// A name with the prefix `x-` is shown as words, the first in title case; any other unknown name is shown as it
    /// is.
    static func label(_ name: String) -> String {
        if let label = labels[name] { return label }
        guard name.hasPrefix("x-"), name.utf8.count > 2 else { return name }
        let words = name.dropFirst(2).split(separator: "-").joined(separator: " ")
        return words.unicodeScalars.prefix(1).map(\.properties.titlecaseMapping).joined()
            + String(words.unicodeScalars.dropFirst())
    }

    /// The labels for the known names of metadata; for others see ``label(_:)``.
    private static let labels = [
        "title": "Title", "description": "Description", "language": "Language", "creator": "Creator", "date": "Date",
        "generator": "Made with", MetadataName.mainPage: "Main page", MetadataName.baseURL: "Address of the site",
        MetadataName.redirectRules: "Redirect rules",
    ]

    /// The data of `/-/api/archives`, by the schema `Archives` of ``ExplorerSchemas``.
    var json: JSONValue {
        let archives = zip(site.layers, metadata).enumerated().map { number, layer -> JSONValue in
            let (archive, values) = layer
            return [
                "layer": .number(number), "name": .string(Self.name(archive)), "bytes": .number(archive.fileLength),
                "entries": .number(archive.entryCount), "bodies": .number(archive.bodyCount),
                "commits": .number(archive.commitCount),
                "title": .text(values.first { $0.name == "title" }?.value),
                "metadata": .object(values.map { .init(name: $0.name, value: .string($0.value)) }),
            ]
        }
        return [
            "mainPage": .string(site.mainPage.description), "archives": .array(archives), "pages": .number(pages.total),
            "hosts": .array(
                hosts.shown.map { ["origin": .string($0.origin), "entries": .number($0.count)] }),
            "otherHosts": .number(hosts.restCount), "allHosts": .bool(hosts.isComplete),
        ]
    }

    /// The first page, with the form for a search and a section for each archive.
    var page: ExplorerPage {
        let mainPage = site.mainPage.description
        let link = QueryFields.link("/-/entry", ["url": mainPage])
        var html = EntryListPage.form(EntrySearch())
        html += "<p>The main page is <a href=\"\(link)\">\(ArchivedText.html(mainPage))</a>.</p>\n"
        if hasReport {
            html += "<p><a href=\"\(ExplorerPage.Place.report.rawValue)\">Report of the proof of completeness</a></p>\n"
        }
        html += pagesSection + hostsSection
        for (number, (archive, values)) in zip(site.layers, metadata).enumerated() {
            html += section(number, archive, values)
        }
        return ExplorerPage(title: "Archive contents", place: .archives, html: html)
    }

    /// The first pages of the list of pages; none without a list.
    private var pagesSection: String {
        guard pages.total > 0 else { return "" }
        let all =
            pages.total > pages.rows.count
            ? PagesPage.way(from: 0, "All \(SizeFormat.count(pages.total, "page", "pages"))") : ""
        return "<h2>Pages</h2>\n\(PagesPage.list(pages))\(all)"
    }

    /// The hosts with the numbers of their entries; none for an archive of one host.
    private var hostsSection: String {
        if let hostsFault {
            return "<h2>Hosts</h2>\n<p>The hosts are not listed: \(ArchivedText.html(hostsFault.description))</p>\n"
        }
        guard hosts.shown.count > 1 else { return "" }
        let rows = hosts.shown.map { origin, count in
            let link = HTMLText.escaped(QueryFields.link("/-/entries", ["q": origin + "/"]))
            return """
                <tr><th scope="row"><a href="\(link)">\(ArchivedText.html(origin, atMost: 500))</a></th>\
                <td class="number">\(SizeFormat.count(count))</td></tr>

                """
        }
        let rest = hosts.restCount > 0 || !hosts.isComplete
        let count = SizeFormat.count(hosts.restCount, "more host", "more hosts")
        let more = hosts.isComplete ? count : hosts.restCount > 0 ? "At least \(count)" : "There may be more hosts"
        return """
            <h2>Hosts</h2>
            <table>
            <tr><th scope="col">Host</th><th scope="col" class="number">Entries</th></tr>
            \(rows.joined())</table>
            \(rest ? "<p>\(more).</p>\n" : "")<p><a href="/-/entries">All URLs</a></p>

            """
    }

    /// Returns the section of one archive: its size, its numbers and at most 100 values of metadata, and a link to its
    /// entries.
    ///
    /// - Parameter number: the number of the layer, from 0.
    private func section(_ number: Int, _ archive: ArchiveReader, _ values: [(name: String, value: String)]) -> String {
        var facts = [
            ("Size", SizeFormat.bytes(archive.fileLength)), ("Entries", SizeFormat.count(archive.entryCount)),
            ("Distinct bodies", SizeFormat.count(archive.bodyCount)),
            ("Commits", SizeFormat.count(archive.commitCount)),
        ]
        facts += values.prefix(100).map {
            (ArchivedText.html(Self.label($0.name), atMost: 100), ArchivedText.html($0.value, atMost: 1000))
        }
        let rows = facts.map { "<tr><th scope=\"row\">\($0)</th><td>\($1)</td></tr>\n" }
        let link = HTMLText.escaped(QueryFields.link("/-/entries", ["layer": String(number)]))
        return """
            <h2>\(ArchivedText.html(Self.name(archive)))</h2>
            <table class="facts">
            \(rows.joined())</table>
            <p><a href="\(link)">Entries of this archive</a></p>

            """
    }
}
