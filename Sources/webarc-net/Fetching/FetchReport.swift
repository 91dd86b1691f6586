// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchiveURLProtocol
import WebarcCommandLine

/// What was fetched from one URL, for a person and for a program.
struct FetchReport {
    private let url: String
    private let method: String
    private let answer: FetchedAnswer
    /// In bytes; longer bodies are not stored.
    private let maximumLength: Int

    init(_ url: String, _ method: String, _ answer: FetchedAnswer, maximumLength: Int) {
        (self.url, self.method, self.answer, self.maximumLength) = (url, method, answer, maximumLength)
    }

    private var mediaType: String? { ArchiveAnswer(headers: answer.fields).mediaType }

    private var status: Int? { answer.hops.last?.event.status }

    /// Status, length, type, and the way to the answer.
    var line: String {
        let columns = [
            PrintableText.column(status.map { String($0) } ?? "-", 3),
            PrintableText.column(String(answer.body.count), 10, rightAligned: true),
            PrintableText.column(PrintableText.escaped(mediaType ?? "-"), 24),
        ]
        let way = [url] + answer.hops.dropFirst().map(\.event.url.absoluteString)
        return (columns + [way.map(PrintableText.escaped).joined(separator: " -> ")]).joined(separator: " ")
    }

    var json: JSONValue {
        [
            "url": .string(url), "method": .string(method), "status": .number(status),
            "length": .number(answer.body.count), "mediaType": .text(mediaType),
            "headers": EntryDescription.fields(answer.fields),
            "hops": .array(
                answer.hops.map { hop in
                    [
                        "url": .string(hop.event.url.absoluteString), "method": .string(hop.event.method),
                        "status": .number(hop.event.status), "stored": .bool(hop.isStored),
                    ]
                }),
        ]
    }

    /// What became of a URL that could not be loaded.
    static func json(_ url: String, _ method: String, _ failure: LoadFailure) -> JSONValue {
        [
            "url": .string(url), "method": .string(method), "status": .null, "error": .number(failure.code),
            "message": .string(failure.message),
        ]
    }

    /// Tells what was loaded and is not in the archive, and why.
    var warnings: [String] {
        answer.hops.enumerated().filter { !$1.isStored }.map { number, hop in
            "\(hop.event.url.absoluteString): not stored, as \(reason(hop.event.status, isLast: number == answer.hops.count - 1))"
        }
    }

    private func reason(_ status: Int, isLast: Bool) -> String {
        if isLast, answer.body.count > maximumLength {
            return "its body of \(SizeFormat.count(answer.body.count, "byte")) is longer than --max-size"
        }
        if status == 206 || status == 304 || status == 412 || status == 416 {
            return "status \(status) answers this request only"
        }
        if status >= 500 { return "a server's failure does not take the place of an answer" }
        return "Cache-Control says no-store; --ignore-no-store stores it"
    }
}
