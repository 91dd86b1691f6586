// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import WebArchive

/// A page of 2 KB with the header fields that a public web site sends.
enum Page {
    static let url = URL(string: "http://www.example.com/library/reading/page.html")!

    private static let paragraphs = (1...29).map { number in
        "<p>Paragraph \(number): " + String(repeating: "word ", count: 10)
    }
    static let body = Data(("<!doctype html><title>A page</title>" + paragraphs.joined()).utf8)

    static let fields = [
        "Accept-Ranges": "bytes",
        "Cache-Control": "public, max-age=315360000",
        "Content-Language": "en",
        "Content-Length": String(body.count),
        "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'",
        "Content-Type": "text/html; charset=utf-8",
        "Date": "Tue, 01 Apr 2025 10:00:00 GMT",
        "ETag": "\"67ebbb70-800\"",
        "Last-Modified": "Mon, 31 Mar 2025 08:30:00 GMT",
        "Server": "nginx/1.22.1",
        "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
        "Vary": "Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
    ]

    /// An archive of this page alone, recorded just now.
    static func write(to path: FilePath, at time: ArchiveTime) throws {
        let writer = try ArchiveWriter(creating: path)
        let body = try writer.addBody(Array(body))
        let fields = HeaderFields(fields.sorted { $0.key < $1.key }.map { HeaderField(name: $0.key, value: $0.value) })
        try writer.add(
            ArchiveRequest(url: url.absoluteString), response: ArchiveResponse(status: 200, headers: fields),
            body: body,
            time: time)
        try writer.commit()
    }
}
