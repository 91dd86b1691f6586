// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchive
import WebArchivePresentation
import WebArchiveURLProtocol
import WebarcCommandLine

/// The report on one fetched URL, for a person and for a program.
struct FetchReport {
    private let url: String
    private let method: String
    private let response: FetchedResponse

    init(_ url: String, _ method: String, _ response: FetchedResponse) {
        (self.url, self.method, self.response) = (url, method, response)
    }

    private var mediaType: String? { ArchiveResponse(headers: response.fields).mediaType }

    private var status: Int? { response.hops.last?.status }

    /// The status, length, type, and path to the response.
    var line: String {
        let columns = [
            PrintableText.column(status.map { String($0) } ?? "-", 3),
            PrintableText.column(String(response.body.count), 10, rightAligned: true),
            PrintableText.column(PrintableText.escaped(mediaType ?? "-"), 24),
        ]
        let way = [url] + response.hops.dropFirst().map(\.url.absoluteString)
        return (columns + [way.map(PrintableText.escaped).joined(separator: " -> ")]).joined(separator: " ")
    }

    var json: JSONValue {
        [
            "url": .string(url), "method": .string(method), "status": .number(status),
            "length": .number(response.body.count), "mediaType": .text(mediaType),
            "headers": EntryDescription.fields(response.fields),
            "hops": .array(
                response.hops.map { hop in
                    [
                        "url": .string(hop.url.absoluteString), "method": .string(hop.method),
                        "status": .number(hop.status),
                        "stored": .bool(hop.recording == .stored), "reason": .text(hop.reasonNotStored?.rawValue),
                    ]
                }),
        ]
    }

    /// Returns the report on a URL that could not be loaded.
    static func json(_ url: String, _ method: String, _ failure: LoadFailure) -> JSONValue {
        [
            "url": .string(url), "method": .string(method), "status": .null, "error": .number(failure.code),
            "message": .string(failure.message),
        ]
    }

    /// The warnings about loaded responses that are not in the archive, with the reasons.
    var warnings: [String] {
        response.hops.compactMap { hop in
            hop.reasonNotStored.map { "\(hop.url.absoluteString): not stored: \($0.explanation)" }
        }
    }
}
