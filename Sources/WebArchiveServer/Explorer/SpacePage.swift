// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// The page of the use of space, as a map and as equivalent tables.
struct SpacePage {
    let survey: SpaceSurvey

    /// The data of `/-/api/space`, by the schema `Space` of ``ExplorerSchemas``.
    var json: JSONValue {
        let parts = survey.parts.map { part -> JSONValue in
            .object(
                [.init(name: "folder", value: .string(part.prefix))] + Self.members(part.amount)
                    + [.init(name: "groups", value: Self.groups(part.groups))])
        }
        let types = survey.types.map { name, amount -> JSONValue in
            .object([.init(name: "mediaType", value: .string(name))] + Self.members(amount))
        }
        return [
            "folder": .string(survey.prefix), "total": .object(Self.members(survey.total)),
            "complete": .bool(!survey.isCut), "folders": .array(parts), "types": .array(types),
            "otherFolders": .object(Self.members(survey.otherParts)),
            "otherTypes": .object(Self.members(survey.otherTypes)),
        ]
    }

    /// Returns the members of an object `Amount`.
    private static func members(_ amount: SpaceSurvey.Amount) -> [JSONValue.Member] {
        [
            .init(name: "entries", value: .number(amount.entries)),
            .init(name: "length", value: .number(amount.length)),
            .init(name: "stored", value: .number(amount.stored)),
        ]
    }

    /// Returns the stored bytes by kind, in the order of the kinds; kinds without content are left out.
    private static func groups(_ groups: [ContentGroup: UInt64]) -> JSONValue {
        .object(
            ContentGroup.allCases.compactMap { group in
                groups[group].map { .init(name: group.rawValue, value: .number($0)) }
            })
    }

    /// The page, with links to the folders above, the map, and tables by folder and by type.
    var page: ExplorerPage {
        let total = survey.total
        let amount = """
            <p>\(SizeFormat.bytes(total.stored)) in the archive for \(SizeFormat.bytes(total.length)) of content in \
            \(SizeFormat.count(total.entries, "entry", "entries")). Shared data counts once.</p>

            """
        let cut =
            survey.isCut
            ? "<p><strong>Incomplete: only the first \(SizeFormat.count(SpaceSurvey.maximumSurveyedCount)) entries were surveyed.</strong></p>\n"
            : ""
        return ExplorerPage(
            title: survey.prefix.isEmpty ? "Use of space" : "Use of space in \(survey.prefix)",
            place: .space, html: "\(wayUp)\(cut)\(amount)\(SpaceMap(survey: survey).html)\(folders)\(types)")
    }

    /// Returns the address of the page for a folder, with the prefix in a query.
    static func link(_ prefix: String) -> String {
        // Even an empty folder is said, for without one the first that is divided is shown.
        prefix.isEmpty ? "/-/space?folder=" : QueryFields.link("/-/space", ["folder": prefix])
    }

    /// Links to the folders above.
    ///
    /// At most 40 are listed, the highest first.
    private var wayUp: String {
        guard !survey.prefix.isEmpty else { return "" }
        var items = ["<li><a href=\"\(Self.link(""))\">Everything</a></li>"]
        var end = survey.prefix.startIndex
        if let scheme = survey.prefix.firstRange(of: "://") { end = scheme.upperBound }
        while items.count < 40, let slash = survey.prefix[end...].firstIndex(of: "/"),
            survey.prefix.index(after: slash) < survey.prefix.endIndex
        {
            let next = survey.prefix.index(after: slash)
            let folder = String(survey.prefix[..<next])
            items.append("<li><a href=\"\(Self.link(folder))\">\(ArchivedText.html(folder, atMost: 200))</a></li>")
            end = next
        }
        return "<nav aria-label=\"Parent folders\"><ul>\(items.joined())</ul></nav>\n"
    }

    /// The table by folder. A row links to the page of its folder, and the files of the surveyed folder to their
    /// entries.
    private var folders: String {
        let rows = survey.parts.map { part in
            let isHere = part.prefix == survey.prefix
            let text =
                isHere
                ? "files here" : ArchivedText.html(String(part.prefix.dropFirst(survey.prefix.count)), atMost: 300)
            let link = isHere ? QueryFields.link("/-/entries", ["q": part.prefix]) : Self.link(part.prefix)
            return row("<a href=\"\(link)\">\(text)</a>", part.amount)
        }
        return table("By folder", "Folder", rows, survey.otherParts)
    }

    /// The table by media type. An empty type is shown as `none`.
    private var types: String {
        let rows = survey.types.map { name, amount in
            row(name.isEmpty ? "none" : ArchivedText.html(name, atMost: 100), amount)
        }
        return table("By type", "Media type", rows, survey.otherTypes)
    }

    /// Returns a table with a heading, whose last row has the parts that are not listed.
    ///
    /// - Parameter head: the label of the first column.
    private func table(_ title: String, _ head: String, _ rows: [String], _ others: SpaceSurvey.Amount) -> String {
        """
        <h2>\(title)</h2>
        <table>
        <tr><th scope="col">\(head)</th><th scope="col" class="number">In the archive</th>\
        <th scope="col" class="number">Share</th><th scope="col" class="number optional">Content</th>\
        <th scope="col" class="number">Entries</th></tr>
        \(rows.joined())\(others.entries > 0 ? row("others", others) : "")</table>

        """
    }

    /// Returns a row. The share is that of the stored length in all that was surveyed.
    ///
    /// - Parameter head: the HTML of its first cell.
    private func row(_ head: String, _ amount: SpaceSurvey.Amount) -> String {
        """
        <tr><th scope="row">\(head)</th><td class="number">\(SizeFormat.bytes(amount.stored))</td>\
        <td class="number">\(SizeFormat.share(amount.stored, of: survey.total.stored))</td>\
        <td class="number optional">\(SizeFormat.bytes(amount.length))</td>\
        <td class="number">\(SizeFormat.count(amount.entries))</td></tr>

        """
    }
}
