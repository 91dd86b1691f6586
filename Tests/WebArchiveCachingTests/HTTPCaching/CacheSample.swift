// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive

@testable import WebArchiveCaching

/// An exchange whose response came at the moment that all times of these tests are counted from.
enum CacheSample {
    static let url = "https://example.com/a"
    /// 06 Nov 1994 08:49:37 GMT, the date of RFC 9110 section 5.6.7, as `date -d` has it.
    static let start: Int64 = 784_111_777

    /// The moment some seconds after the response came.
    static func time(_ seconds: Int64 = 0) throws -> ArchiveTime {
        try #require(ArchiveTime(seconds: start + seconds))
    }

    /// The date field of that moment.
    static func date(_ seconds: Int64 = 0) -> String { HTTPDate.text(nanoseconds: (start + seconds) * 1_000_000_000) }

    static func request(_ method: String = "GET", _ headers: HeaderFields = [:]) -> ArchiveRequest {
        ArchiveRequest(method: method, url: url, headers: headers)
    }

    static func response(_ headers: HeaderFields, status: Int = 200, isDated: Bool = true) -> ArchiveResponse {
        var headers = headers
        if isDated { headers.append(name: "Date", value: date()) }
        return ArchiveResponse(status: status, headers: headers)
    }

    static func stored(
        _ response: HeaderFields, status: Int = 200, request: ArchiveRequest = request()
    ) throws -> StoredExchange {
        StoredExchange(
            url: try CanonicalURL(url), request: request, response: self.response(response, status: status), body: nil,
            time: try time())
    }
}
