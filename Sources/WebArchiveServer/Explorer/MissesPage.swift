// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// The page of requested URLs that no archive has.
struct MissesPage {
    /// The misses in the order of ``MissingPageLog/all``.
    let misses: [MissingPageLog.Miss]

    /// The data of `/-/api/misses`, by the schema `Misses` of ``ExplorerSchemas``; times are nanoseconds since 1970.
    var json: JSONValue {
        [
            "misses": .array(
                misses.map {
                    [
                        "url": .string($0.url), "rules": .array($0.rules.map { .string($0.rawValue) }),
                        "count": .number($0.count), "last": .number($0.last),
                    ]
                }),
            "capacity": .number(MissingPageLog.capacity),
        ]
    }

    /// The page: a table of URLs with the number of requests, and the time of the last one to the minute.
    var page: ExplorerPage {
        guard !misses.isEmpty else {
            return ExplorerPage(
                title: "Misses", place: .misses,
                html: "<p>No missing pages since startup.</p>\n")
        }
        let rows = misses.map { miss in
            // To the minute, with a blank at which it can break.
            let time =
                ArchiveTime(nanoseconds: miss.last).map(Timestamp.text)?.prefix(16).replacing("T", with: " ") ?? "-"
            let rules = miss.rules.isEmpty ? "-" : miss.rules.map(\.description).joined(separator: ", ")
            return """
                <tr><th scope="row">\(ArchivedText.html(miss.url, atMost: 500))</th>\
                <td class="number">\(SizeFormat.count(miss.count))</td><td>\(time)</td><td>\(rules)</td></tr>

                """
        }
        return ExplorerPage(
            title: "Misses", place: .misses,
            html: """
                <table>
                <caption>Missing pages that visitors requested since startup, the most requested first, and requests whose response a rule for recordings of the web found in another \
                request's; the last \
                \(SizeFormat.count(MissingPageLog.capacity)) are kept.</caption>
                <tr><th scope="col">URL</th><th scope="col" class="number">Requests</th><th scope="col">Last (UTC)</th><th scope="col">Response by</th></tr>
                \(rows.joined())</table>

                """)
    }
}
